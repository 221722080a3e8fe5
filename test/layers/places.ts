import { FILE_NAMES, FILES, type FileName } from '../../layers/files.ts'
import { COMPONENT_NAMES, type ComponentName, COMPONENTS } from '../../layers/components.ts'

/** A component of the server, or a file beside service.ts. */
export type Layer = ComponentName | FileName

export const LAYERS: readonly Layer[] = [...COMPONENT_NAMES, ...FILE_NAMES]

/** An import from one layer to another. */
export interface Arrow {
  readonly from: Layer
  readonly to: Layer
  readonly allowed: 'everything' | 'types' | 'nothing'
}

/** Every pair of layers, and what the first may import of the second. */
export function arrows(): Arrow[] {
  return LAYERS.flatMap((from) =>
    LAYERS.filter((to) => to !== from).map((to) => ({ from, to, allowed: allowed(from, to) })),
  )
}

function allowed(from: Layer, to: Layer): Arrow['allowed'] {
  const { mayImport, mayImportTypes = [] } = isFile(from) ? FILES[from] : COMPONENTS[from]
  if (mayImport.includes(to)) return 'everything'
  return mayImportTypes.some((name) => name === to) ? 'types' : 'nothing'
}

/** Paths of files of a layer: at its root, in a room, in a room of that. */
export function pathsIn(layer: Layer, file: string): string[] {
  if (isFile(layer)) return [pathOf(layer)]
  // Ports have no rooms.
  const rooms = layer === 'backend' ? [''] : ['', 'planted-room/', 'planted-room/inner/']
  return rooms.map((room) => pathOf(`${layer}/${room}${file}`))
}

/** Where a path below packages/server/src is in the repository. */
export function pathOf(path: string): string {
  return `packages/server/src/${path}`
}

/** Whether it is a file, not a component. */
export function isFile(layer: Layer): layer is FileName {
  return layer.endsWith('.ts')
}
