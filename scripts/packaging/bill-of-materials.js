import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { PackageURL } from "packageurl-js";
import satisfies from "spdx-satisfies";

/** Licences permitted for shipped packages: they require only their own text. */
const ALLOWED_LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "PostgreSQL",
  "Unlicense",
  "Zlib",
];

/**
 * A package whose code is in the server's package.
 * @typedef {{ name: string, version: string, licence: string | undefined, text: string | undefined }} ShippedPackage
 */

/**
 * Returns the packages that must not be shipped: their licence is unknown or not in `ALLOWED_LICENCES`.
 * @param {readonly ShippedPackage[]} packages
 */
export const findForbiddenLicences = (packages) => packages.filter(({ licence }) => !isAllowed(licence));

function isAllowed(licence) {
  try {
    return licence !== undefined && satisfies(licence, ALLOWED_LICENCES);
  } catch {
    return false; // not an SPDX expression
  }
}

/**
 * Writes a bill of materials in CycloneDX 1.6. It has no time and no serial number, so the same packages give the same
 * text.
 * @param {{ name: string, version: string, license: string }} application
 * @param {readonly ShippedPackage[]} packages
 */
export function writeBillOfMaterials(application, packages) {
  const bom = new Models.Bom();
  const root = toComponent(Enums.ComponentType.Application, { ...application, licence: application.license });
  bom.metadata.component = root;
  for (const one of packages) {
    const component = toComponent(Enums.ComponentType.Library, one);
    bom.components.add(component);
    root.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function toComponent(type, { name, version, licence }) {
  const [last = name, group] = name.split("/").reverse();
  const purl = new PackageURL("npm", group, last, version, undefined, undefined).toString();
  const component = new Models.Component(type, last, { group, version, purl, bomRef: purl });
  if (licence !== undefined)
    component.licenses.add(
      /\s/.test(licence) ? new Models.LicenseExpression(licence) : new Models.SpdxLicense(licence),
    );
  return component;
}

/**
 * Writes the licences of all shipped packages with their texts, as most of them require.
 * @param {readonly ShippedPackage[]} packages
 */
export function writeLicences(packages) {
  const sections = packages.map(({ name, version, licence, text }) =>
    [`## ${name} ${version}`, `Licence: ${licence}`, text ?? "The package has no licence file."].join("\n\n"),
  );
  return `# Packages that the server contains\n\n${sections.join("\n\n")}\n`;
}
