import type { OperatorCommand } from "./cli/command.js";
import type { CommonOptions } from "./cli/output.js";
import type { EmbeddingsStatus, embeddings } from "./procedures/embeddings.js";

/** Adds `minutes embeddings …`. */
export function addEmbeddingsCommands(program: OperatorCommand<{ embeddings: typeof embeddings }>): void {
  const show = async (options: CommonOptions, status: EmbeddingsStatus) =>
    (await import("./models.js")).showModels(program.getConfig(), options, status);
  const commands = program.command("embeddings").description("the model for semantic search");

  commands
    .add("status", "show the current search mode and the available models")
    .run(async ({ embeddings }, options) => show(options, await embeddings.status.query()));
  commands
    .add("use <model>", "use this model for search, and download it if necessary")
    .addHelpText(
      "after",
      "\nSearch keeps working: meetings get the model's vectors in the background. `builtin` is the model included with the server.",
    )
    .run(async ({ embeddings }, name, options) => {
      // Checks before a download whether the model can be used.
      await embeddings.status.query();
      if (name !== "builtin") await (await import("./models.js")).fetchModel(program.getConfig(), name);
      await show(options, await embeddings.use.mutate({ model: name }));
    });
  commands
    .add("off", "search by words only")
    .run(async ({ embeddings }, options) => show(options, await embeddings.use.mutate({ model: "off" })));
}
