import "@mantine/core";
