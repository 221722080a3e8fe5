/** One of the workspaces in packages. */
export interface Workspace<Name extends string = string> {
  /** The workspaces it may import, by their names. */
  readonly mayImport: readonly Name[]
  /** It imports no package but these. */
  readonly onlyPackages?: readonly string[]
  /** It has arrows, and no folder yet. */
  readonly planned?: true
}

/** The workspaces, and the direction of imports between them. The parts of the server are in parts.ts. */
export const WORKSPACES = tableOf({
  protocol: { mayImport: [], onlyPackages: ['node:crypto'] },
  server: { mayImport: ['protocol'] },
  client: { mayImport: ['protocol'] },
  cli: { mayImport: ['client', 'protocol', 'server'] },
  console: { mayImport: ['protocol'], planned: true },
})

export type WorkspaceName = keyof typeof WORKSPACES

export const WORKSPACE_NAMES = Object.keys(WORKSPACES) as readonly WorkspaceName[]

/** The compiler holds each name in `mayImport` to the names of the table. */
function tableOf<Name extends string>(
  workspaces: Readonly<Record<Name, Workspace<NoInfer<Name>>>>,
): Readonly<Record<Name, Workspace>> {
  return workspaces
}
