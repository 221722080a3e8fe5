import { describe, expect, it } from 'vitest'
import { COMPONENT_NAMES, type ComponentName } from '../../layers/components.ts'
import { cyclicImports, type SubfolderImport, subfolderImports } from './subfolder-imports.ts'
import { readRepositoryFile, repositoryFiles } from '@hookline/testing/repository'

describe('the subfolders of a component', () => {
  it.for(COMPONENT_NAMES)('do not import each other in a cycle: %s', (component) => {
    expect(shown(cyclicImports(importsIn(component)))).toEqual([])
  })

  it('are reported if they form a cycle, even through types and inner subfolders', () => {
    const files = {
      'a/one.ts': `import type { Two } from '../b/two.ts'`,
      'b/two.ts': `export * from '../c/inner/three.ts'`,
      'c/inner/three.ts': `const one = await import('../../a/one.ts')`,
      'c/four.ts': `import './inner/three.ts'\nimport { five } from '../d/five.ts'`,
      'd/five.ts': `import { six } from '../../other-component/a/six.ts'`,
      'seven.ts': `import { one } from './a/one.ts'`,
    }
    expect(shown(cyclicImports(subfolderImports(files)))).toEqual([
      'a/one.ts → b/two.ts',
      'b/two.ts → c/inner/three.ts',
      'c/inner/three.ts → a/one.ts',
    ])
  })
})

function importsIn(component: ComponentName): SubfolderImport[] {
  const folder = `packages/server/src/${component}`
  // The folders below the ports are separate components.
  const paths = component === 'backend' ? [] : repositoryFiles(folder)
  return subfolderImports(
    Object.fromEntries(
      paths.map((path) => [path.slice(folder.length + 1), readRepositoryFile(path)]),
    ),
  )
}

function shown(imports: readonly SubfolderImport[]): string[] {
  return imports.map((each) => each.shown)
}
