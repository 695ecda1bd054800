// The types of the routers. In the workspace they come from the routers. The build replaces them with generated ones:
// the same types with doc comments and without the server's packages (docs/decisions/0060-generated-reference.md).
export type * from "@minutes/contract";
export type {
  IngestRouter,
  ManagementRouter,
  MeRouter,
  PeopleRouter,
  SyncRouter,
  WorkspaceRouter,
} from "@minutes/core";
