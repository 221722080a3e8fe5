import { PART_NAMES, type PartName } from './parts.ts'

/** A file beside service.ts. What they are is said in ARCHITECTURE.md. */
export interface RootFile<Name extends string = string> {
  /** The parts, and the files beside it, that it may import. */
  readonly mayImport: readonly (Name | PartName | 'protocol')[]
  /** Files beside it whose types it may name, and no value. */
  readonly mayImportTypes?: readonly ('config.ts' | 'settings.ts')[]
}

const ALL_BUT_BACKENDS = PART_NAMES.filter((name) => !name.startsWith('backend/'))

/** The files of packages/server/src itself, and what each may import. Only service.ts picks a backend. */
export const FILES = tableOf({
  'service.ts': {
    mayImport: [...PART_NAMES, 'admin-token.ts', 'servers.ts', 'version.ts', 'protocol'],
    // Who starts the service parses its configuration.
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  'servers.ts': {
    mayImport: [
      ...ALL_BUT_BACKENDS,
      'admin-token.ts',
      'config.ts',
      'settings.ts',
      'version.ts',
      'protocol',
    ],
  },
  'settings.ts': { mayImport: ['util', 'protocol'] },
  'config.ts': { mayImport: ['settings.ts', 'util', 'protocol'] },
  'config-file.ts': { mayImport: ['config.ts', 'settings.ts', 'util', 'protocol'] },
  'admin-token.ts': { mayImport: ['config.ts', 'util', 'protocol'] },
  'version.ts': { mayImport: ['util', 'protocol'] },
  // What the package offers.
  'index.ts': {
    mayImport: [
      'service.ts',
      'settings.ts',
      'config.ts',
      'config-file.ts',
      'admin-token.ts',
      'version.ts',
      'telemetry',
      'util',
      'protocol',
    ],
  },
})

export type FileName = keyof typeof FILES

export const FILE_NAMES = Object.keys(FILES) as readonly FileName[]

/** The compiler holds each name in `mayImport` to the names of the tables. */
function tableOf<Name extends string>(
  files: Readonly<Record<Name, RootFile<NoInfer<Name>>>>,
): Readonly<Record<Name, RootFile>> {
  return files
}
