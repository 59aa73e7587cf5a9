/* A distribution as a plug-in, in C: each antidiagonal of tiles belongs to the next node. Build:
     cc -O2 -shared -fPIC -I PREFIX/include scenarios/plugins/diagonals.c -o diagonals.so */
#include <factosim/plugin.h>
#include <string.h>

static factosim_key const keys[] = {
    {"width", "antidiagonals that follow each other on one node", FACTOSIM_INTEGER, 1, 1, 1000, NULL}};

static int32_t owners(factosim_matrix const* matrix, factosim_value const* values, int32_t* owner,
                      factosim_problem* problem) {
  int32_t const width = (int32_t)values[0].number;
  if (width > matrix->rows) {
    problem->key = 0;
    strcpy(problem->text, "is wider than the matrix (one node would own all of it). Give less");
    return 1;
  }
  for (int32_t m = 0; m < matrix->rows; ++m)
    for (int32_t n = 0; n < matrix->columns; ++n)
      owner[m * matrix->columns + n] = (m + n) / width % matrix->nodes;
  return 0;
}

FACTOSIM_EXPORT factosim_distribution const factosim_distribution_1 = {
    sizeof(factosim_distribution), "antidiagonals of tiles, node after node", keys, 1, NULL, owners};
