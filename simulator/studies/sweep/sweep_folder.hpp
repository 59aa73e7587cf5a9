#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/studies/sweep/point_store.hpp"
#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/studies/sweep/sweep_table.hpp"

namespace factosim {

[[nodiscard]] SweepRecord sweep_record(Sweep const& sweep, PointStore const& store,
                                       SweepResults const& results,
                                       std::vector<ComparedChart> const& comparisons);

/// Writes sweep.csv and sweep.jsonl, which are derived from the points and always overwritten.
void write_sweep_tables(std::filesystem::path const& folder, Table const& table);
/// Writes sweep.json, which describes the columns of these tables and their origin, with checksums of itself and of the
/// tables, which are written before.
void write_sweep_record(std::filesystem::path const& folder, SweepRecord const& record);

/// Returns the folder of a sweep if `path` is such a folder or a table in it.
[[nodiscard]] std::optional<std::filesystem::path> sweep_folder(std::filesystem::path const& path);

/// Reads sweep.json and sweep.jsonl of a folder. Throws InputError if they are missing, empty, damaged or
/// inconsistent.
[[nodiscard]] SweepRecord read_sweep_folder(std::filesystem::path const& folder);

}  // namespace factosim
