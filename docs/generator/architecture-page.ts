import { readFileSync } from 'node:fs'
import { type Component, COMPONENTS } from '../../layers/components.ts'
import { ROOMS } from '../../layers/rooms.ts'
import { code, table } from './markdown.ts'

const PAGE = new URL('../../ARCHITECTURE.md', import.meta.url)
const REGION = /(<!-- layers: .* -->\n)[^]*?(<!-- end of layers -->)/

/** ARCHITECTURE.md with up-to-date tables of the server's components and rooms. The rest of the page stays as it is. */
export function architecturePage(): string {
  const page = readFileSync(PAGE, 'utf8')
  if (!REGION.test(page)) throw new Error('ARCHITECTURE.md has no marks around its layers.')
  return page.replace(REGION, (_, begin: string, end: string) => `${begin}\n${layers()}\n\n${end}`)
}

function layers(): string {
  return [
    table(['folder', 'holds', 'may import'], componentRows()),
    'A large component has **rooms**: folders inside it. A file may import any other file of its component, but rooms must not import each other in a cycle.',
    table(['room', 'holds'], roomRows()),
  ].join('\n\n')
}

function componentRows(): string[][] {
  return Object.entries<Component>(COMPONENTS).map(([name, component]) => [
    code(name),
    component.holds,
    mayImport(component),
  ])
}

function mayImport({ mayImport: names, mayImportTypes: types = [] }: Component): string {
  const words = names.map((name) => (name === 'backend' ? 'ports' : name))
  const ofTypes = types.length > 0 ? [`types of ${types.map(code).join(' and ')}`] : []
  return [...words, ...ofTypes].join(', ') || 'nothing of ours'
}

function roomRows(): string[][] {
  return Object.entries(ROOMS).flatMap(([component, rooms]) =>
    Object.entries(rooms).map(([room, holds]) => [code(`${component}/${room}`), holds]),
  )
}
