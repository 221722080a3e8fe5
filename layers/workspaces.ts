/** One of the workspaces in packages. */
export interface Workspace<Name extends string = string> {
  /** The workspaces it may import, by their names. */
  readonly mayImport: readonly Name[]
  /** Single exports of other workspaces that it may import. */
  readonly mayImportExports?: readonly `${Name}/${string}`[]
  /** The only packages that it may import. */
  readonly onlyPackages?: readonly string[]
}

/** The workspaces and the imports that are allowed between them. The components of the server are in components.ts. */
export const WORKSPACES = tableOf({
  protocol: { mayImport: [], onlyPackages: ['node:crypto'] },
  server: { mayImport: ['protocol'] },
  client: { mayImport: ['protocol'] },
  cli: { mayImport: ['client', 'protocol', 'server'] },
  // The client of the management API is generated once.
  console: { mayImport: ['protocol'], mayImportExports: ['cli/management-client'] },
})

export type WorkspaceName = keyof typeof WORKSPACES

export const WORKSPACE_NAMES = Object.keys(WORKSPACES) as readonly WorkspaceName[]

/** Makes the compiler check that each name in `mayImport` is in the table. */
function tableOf<Name extends string>(
  workspaces: Readonly<Record<Name, Workspace<NoInfer<Name>>>>,
): Readonly<Record<Name, Workspace>> {
  return workspaces
}
