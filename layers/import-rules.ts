import type { OxlintOverride } from 'oxlint'
import { FILE_NAMES } from './files.ts'
import { COMPONENT_NAMES } from './components.ts'
import {
  CLOSED,
  filePatterns,
  componentPatterns,
  type Pattern,
  portPatterns,
  workspacePatterns,
} from './patterns.ts'
import { WORKSPACE_NAMES } from './workspaces.ts'

const SERVER = 'packages/server/src'

/** The maximum nesting of subfolders. */
const DEPTHS = [0, 1, 2]

/**
 * The linter's rule no-restricted-imports for every file in packages, generated from the tables. A later override
 * replaces the whole rule of an earlier one. So the first rule forbids all imports in the server, and the next ones allow some of them, folder by folder.
 */
export function importRules(): OxlintOverride[] {
  const workspaces = WORKSPACE_NAMES.filter((name) => name !== 'server')
  return [
    ...workspaces.map((name) => override(`packages/${name}/src/**`, workspacePatterns(name))),
    override(`${SERVER}/**`, CLOSED),
    ...FILE_NAMES.map((name) => override(`${SERVER}/${name}`, filePatterns(name))),
    // Ports have no subfolders: a folder beside them is a backend.
    override(`${SERVER}/backend/*.ts`, portPatterns()),
    ...COMPONENT_NAMES.filter((name) => name !== 'backend').flatMap((name) =>
      DEPTHS.map((depth) =>
        override(`${SERVER}/${name}/${'*/'.repeat(depth)}*.ts`, componentPatterns(name, depth)),
      ),
    ),
  ]
}

function override(files: string, patterns: readonly Pattern[]): OxlintOverride {
  return {
    files: [files],
    rules: { 'no-restricted-imports': ['error', { patterns: [...patterns] }] },
  }
}
