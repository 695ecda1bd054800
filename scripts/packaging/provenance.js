/**
 * Reads the repository of the publishing pipeline. npm attests provenance only for a pipeline whose repository the
 * manifest names (docs/decisions/0060-generated-reference.md).
 * @param {string} directory the package's folder in the repository
 * @returns fields of the manifest; undefined outside of a pipeline
 */
export function readProvenance(directory) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL } = process.env;
  const url = GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL;
  return url && { repository: { type: "git", url: `git+${url}.git`, directory } };
}
