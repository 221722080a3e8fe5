import { describe, expect, it } from 'vitest'
import { PART_NAMES, type PartName, PARTS } from '../../layers/parts.ts'
import { cyclic, type RoomImport, roomImports } from './room-imports.ts'
import { filesBelow, textOf } from './tree.ts'

describe('the rooms of a part', () => {
  it.for(PART_NAMES)('do not import each other in a cycle: %s', (part) => {
    expect(shown(cyclic(importsIn(part)))).toEqual([])
  })

  it('would be found in a cycle, through types and inner rooms too', () => {
    const files = {
      'a/one.ts': `import type { Two } from '../b/two.ts'`,
      'b/two.ts': `export * from '../c/inner/three.ts'`,
      'c/inner/three.ts': `const one = await import('../../a/one.ts')`,
      'c/four.ts': `import './inner/three.ts'\nimport { five } from '../d/five.ts'`,
      'd/five.ts': `import { six } from '../../other-part/a/six.ts'`,
      'seven.ts': `import { one } from './a/one.ts'`,
    }
    expect(shown(cyclic(roomImports(files)))).toEqual([
      'a/one.ts → b/two.ts',
      'b/two.ts → c/inner/three.ts',
      'c/inner/three.ts → a/one.ts',
    ])
  })
})

function importsIn(part: PartName): RoomImport[] {
  const folder = `packages/server/src/${part}`
  // A planned part has no files yet. The folders below the ports are parts of their own.
  const paths = part === 'backend' || PARTS[part].planned === true ? [] : filesBelow(folder)
  return roomImports(Object.fromEntries(paths.map((path) => [path, textOf(`${folder}/${path}`)])))
}

function shown(imports: readonly RoomImport[]): string[] {
  return imports.map((each) => each.shown)
}
