#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "simulator/analysis/sweep_record.hpp"
#include "simulator/sweep/point_store.hpp"
#include "simulator/sweep/sweep.hpp"
#include "simulator/sweep/sweep_table.hpp"

namespace factosim {

[[nodiscard]] SweepRecord sweep_record(Sweep const& sweep, PointStore const& store,
                                       SweepResults const& results,
                                       std::vector<ComparedChart> const& comparisons);

/// Writes sweep.csv and sweep.jsonl; they are made from the points and may always be replaced.
void write_sweep_tables(std::filesystem::path const& folder, Table const& table);
/// Writes sweep.json, which tells what the columns of these tables are and how they were made.
void write_sweep_record(std::filesystem::path const& folder, SweepRecord const& record);

/// The folder of a sweep, where `path` is one or a table in it.
[[nodiscard]] std::optional<std::filesystem::path> sweep_folder(std::filesystem::path const& path);

/// Reads sweep.json and sweep.jsonl of a folder. Throws InputError where they are missing, empty or damaged,
/// or do not belong together.
[[nodiscard]] SweepRecord read_sweep_folder(std::filesystem::path const& folder);

}  // namespace factosim
