import { readFileSync } from 'node:fs'
import { type Component, COMPONENTS } from '../../layers/components.ts'
import { code, table } from './markdown.ts'

const PAGE = new URL('../../ARCHITECTURE.md', import.meta.url)
const REGION = /(<!-- layers: .* -->\n)[^]*?(<!-- end of layers -->)/

/** ARCHITECTURE.md with an up-to-date table of the server's components. */
export function architecturePage(): string {
  const page = readFileSync(PAGE, 'utf8')
  if (!REGION.test(page)) throw new Error('ARCHITECTURE.md has no markers around its layers.')
  const layers = table(['folder', 'contents', 'may import'], componentRows())
  return page.replace(REGION, (_, begin: string, end: string) => `${begin}\n${layers}\n\n${end}`)
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
  const ofTypes = types.length > 0 ? [`types from ${types.map(code).join(' and ')}`] : []
  return [...words, ...ofTypes].join(', ') || 'no other component'
}
