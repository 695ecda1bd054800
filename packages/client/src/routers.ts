// The types of the routers and of everything in them. In the workspace they are the routers' own. The build puts
// generated ones in their place: the same types, with comments for the editor and without the server's packages
// (docs/decisions/0060-types-by-generation.md).
export type * from "@minutes/contract";
export type { MeRouter, MySyncRouter, WorkspaceRouter, WorkspaceSyncRouter } from "@minutes/core";
