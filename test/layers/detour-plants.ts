import { IMPORT_FORMS, wayBetween } from './import-forms.ts'
import { LAYERS, pathOf, pathsIn } from './places.ts'
import type { Plant } from './plant.ts'

const RULE = 'eslint(no-restricted-imports)'

/** Where no layer may import from: outside of the server's source, and in folders that are no component. */
const NOWHERE = [
  'packages/protocol/src/index.ts',
  'packages/server/package.json',
  'packages/server/test/harness/target.ts',
  pathOf('backend/planted-room/target.ts'),
  pathOf('planted-component/target.ts'),
]

/** Files that are in no component, or deeper in rooms than there may be any. */
const UNKNOWN = [
  'planted-component/planted.ts',
  'backend/planted-room/planted.ts',
  'util/a/b/c/planted.ts',
]

/** Ways around the arrows: to and from places that have none, and paths written so that a pattern could miss them. */
export function detourPlants(): Plant[] {
  const detours = LAYERS.flatMap((layer) =>
    pathsIn(layer, 'planted.ts').flatMap((file) => [
      ...detoursTo(wayBetween(file, pathOf('backend/embedded/target.ts'))).map((way) => ({
        file,
        way,
      })),
      ...NOWHERE.map((target) => ({ file, way: wayBetween(file, target) })),
    ]),
  )
  const unknown = UNKNOWN.flatMap((path) =>
    ['./target.ts', '@hookline/protocol', 'node:fs'].map((way) => ({ file: pathOf(path), way })),
  )
  return [...detours, ...unknown].map(({ file, way }) => ({
    file,
    rule: RULE,
    violation: IMPORT_FORMS.reExport(way),
  }))
}

/** The same way, written differently. */
function detoursTo(way: string): string[] {
  const [up = ''] = /^(?:\.\.?\/)+/.exec(way) ?? []
  const down = way.slice(up.length)
  return [
    `./${way}`,
    `./planted-room/../${way}`,
    `${up}util/../${down}`,
    `${up}./${down}`,
    `${up}/${down}`,
    `/packages/server/src/${down}`,
  ]
}
