import { FILES } from '../../layers/files.ts'
import { COMPONENT_NAMES, COMPONENTS } from '../../layers/components.ts'
import { WORKSPACE_NAMES, type WorkspaceName, WORKSPACES } from '../../layers/workspaces.ts'
import { IMPORT_FORMS, wayBetween } from './import-forms.ts'
import { isFile, type Layer, LAYERS, pathsIn } from './places.ts'
import type { Allowed, Plant } from './plant.ts'

const RULE = 'eslint(no-restricted-imports)'

/** What a file may not import by the name of a package, or across the border of a workspace, and what it may. */
interface Border {
  readonly file: string
  readonly forbidden: readonly string[]
  readonly allowed: readonly string[]
}

const BORDERS: readonly Border[] = [
  ...WORKSPACE_NAMES.filter((name) => name !== 'server').flatMap(workspaceBorders),
  ...LAYERS.flatMap(layerBorders),
]

/** One plant for each forbidden import of a package, or past the border of a workspace. */
export function packagePlants(): Plant[] {
  return BORDERS.flatMap(({ file, forbidden }) =>
    forbidden.map((name) => ({ file, rule: RULE, violation: IMPORT_FORMS.reExport(name) })),
  )
}

/** Every package that is one's own, or nobody's. */
export function allowedPackages(): Allowed[] {
  return BORDERS.flatMap(({ file, allowed }) =>
    allowed.map((name) => ({ file, rule: RULE, innocent: IMPORT_FORMS.reExport(name) })),
  )
}

function workspaceBorders(name: WorkspaceName): Border[] {
  const { mayImport, mayImportExports = [], onlyPackages } = WORKSPACES[name]
  const engines = COMPONENT_NAMES.filter((component) => component.startsWith('backend/')).flatMap(
    ownPackages,
  )
  return ['planted-border.ts', 'planted-room/planted-border.ts'].map((path) => {
    const file = `packages/${name}/src/${path}`
    const across = WORKSPACE_NAMES.filter((other) => other !== name).map((other) =>
      wayBetween(file, `packages/${other}/src/index.ts`),
    )
    const others = onlyPackages === undefined ? [] : ['undici', 'node:fs', 'node:timers/promises']
    return {
      file,
      forbidden: [...workspacesBut(mayImport), ...across, ...engines, ...others],
      allowed: [
        ...byName(mayImport),
        ...mayImportExports.map((entry) => `@hookline/${entry}`),
        './target.ts',
        '../target.ts',
        ...(onlyPackages ?? ['undici']),
      ],
    }
  })
}

function layerBorders(layer: Layer): Border[] {
  const { mayImport } = isFile(layer) ? FILES[layer] : COMPONENTS[layer]
  const own = isFile(layer) ? [] : ownPackages(layer)
  const reserved = COMPONENT_NAMES.flatMap(ownPackages).filter((name) => !own.includes(name))
  const nobodys = ['fastify', 'node:fs']
  return pathsIn(layer, 'planted-border.ts').map((file) => ({
    file,
    forbidden: [...reserved, ...workspacesBut(mayImport), ...(layer === 'backend' ? nobodys : [])],
    allowed: [...own, ...byName(mayImport), ...(layer === 'backend' ? [] : nobodys)],
  }))
}

/** The packages of a component, and what may be below them. */
function ownPackages(component: keyof typeof COMPONENTS): string[] {
  const { ownPackages: names = [] } = COMPONENTS[component]
  return names.flatMap((name) => [name, `${name}/planted`])
}

function workspacesBut(mayImport: readonly string[]): string[] {
  return WORKSPACE_NAMES.filter((name) => !mayImport.includes(name)).map(
    (name) => `@hookline/${name}`,
  )
}

function byName(mayImport: readonly string[]): string[] {
  return WORKSPACE_NAMES.filter((name) => mayImport.includes(name)).flatMap((name) => [
    `@hookline/${name}`,
    `@hookline/${name}/planted`,
  ])
}
