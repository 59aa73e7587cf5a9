# Your own Gantt chart, of the columns of a run in a file: Rscript own_figure.R tasks.csv gantt.pdf
library(ggplot2)

files <- commandArgs(trailingOnly = TRUE)
tasks <- read.csv(files[1])
tasks$row <- paste(tasks$node, tasks$worker)
chart <- ggplot(tasks, aes(x = start_s, xend = end_s, y = row, yend = row, colour = task)) +
  geom_segment(linewidth = 2) +
  scale_y_discrete(limits = rev) +
  labs(x = "time (s)", y = NULL, colour = NULL) +
  theme_minimal(base_size = 8) +
  theme(legend.position = "top")
ggsave(files[2], chart, width = 88, height = 60, units = "mm")
