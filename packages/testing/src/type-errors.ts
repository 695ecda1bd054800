import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Type-checks TypeScript files with the workspace's options, without their imports; returns the error messages. */
export function findTypeErrors(files: readonly string[]): string[] {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(files, options);
  return files
    .map((file) => program.getSourceFile(file))
    .flatMap((file) => ts.getPreEmitDiagnostics(program, file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
