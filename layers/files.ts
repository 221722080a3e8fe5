import { COMPONENT_NAMES, type ComponentName } from './components.ts'

/** A file next to service.ts. */
export interface RootFile<Name extends string = string> {
  /** The components and the files next to it that it may import. */
  readonly mayImport: readonly (Name | ComponentName | 'protocol')[]
  /** Files next to it from which it may import types, but not values. */
  readonly mayImportTypes?: readonly ('config.ts' | 'settings.ts')[]
}

const ALL_BUT_BACKENDS = COMPONENT_NAMES.filter((name) => !name.startsWith('backend/'))

/**
 * The files directly in packages/server/src, and their permitted imports. Only the composition roots of the
 * service and of its threads import a backend.
 */
export const FILES = tableOf({
  'service.ts': {
    mayImport: [
      ...COMPONENT_NAMES,
      'admin-token.ts',
      'open-backend.ts',
      'servers.ts',
      'presented-settings.ts',
      'version.ts',
      'protocol',
    ],
    // The caller of openService parses the configuration.
    mayImportTypes: ['config.ts', 'settings.ts'],
  },
  // Opens the backend selected by the `backend` setting.
  'open-backend.ts': {
    mayImport: ['backend', 'backend/embedded', 'backend/cluster', 'util'],
    mayImportTypes: ['config.ts'],
  },
  'delivery-thread.ts': { mayImport: [...COMPONENT_NAMES, 'version.ts', 'protocol'] },
  'ingestion-thread.ts': {
    mayImport: [...COMPONENT_NAMES, 'error-format.ts', 'version.ts', 'protocol'],
  },
  'error-format.ts': { mayImport: ['admin', 'http'] },
  'servers.ts': {
    mayImport: [
      ...ALL_BUT_BACKENDS,
      'admin-token.ts',
      'config.ts',
      'error-format.ts',
      'settings.ts',
      'presented-settings.ts',
      'version.ts',
      'protocol',
    ],
  },
  'settings.ts': { mayImport: ['setting-formats.ts', 'util', 'protocol'] },
  'setting-formats.ts': { mayImport: ['util', 'protocol'] },
  'config.ts': { mayImport: ['settings.ts', 'util', 'protocol'] },
  'config-file.ts': { mayImport: ['config.ts', 'settings.ts', 'util', 'protocol'] },
  'admin-token.ts': { mayImport: ['config.ts', 'util', 'protocol'] },
  'presented-settings.ts': { mayImport: ['config.ts', 'settings.ts', 'admin', 'util', 'protocol'] },
  'version.ts': { mayImport: ['util', 'protocol'] },
  // The exports of the package.
  'index.ts': {
    mayImport: [
      'service.ts',
      'settings.ts',
      'config.ts',
      'config-file.ts',
      'admin-token.ts',
      'open-backend.ts',
      'version.ts',
      'inspector',
      'telemetry',
      'util',
      'protocol',
    ],
  },
})

export type FileName = keyof typeof FILES

export const FILE_NAMES = Object.keys(FILES) as readonly FileName[]

/** Makes the compiler check that each name in `mayImport` is in the tables. */
function tableOf<Name extends string>(
  files: Readonly<Record<Name, RootFile<NoInfer<Name>>>>,
): Readonly<Record<Name, RootFile>> {
  return files
}
