extern const int root_step_table;
const int root_step_table = 1;
