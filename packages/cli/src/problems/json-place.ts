import { type AnyNode, parse } from '@humanwhocodes/momoa'

/** A place in a text: line and column, both from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Where a text stops being JSON; `undefined` if it is JSON. */
export function jsonFault(text: string): TextPlace | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    const { line, column } = error as TextPlace
    return { line, column }
  }
}

/** Where the value at these steps is in a JSON text, or the innermost one around it that exists. */
export function placeOfValue(text: string, steps: readonly string[]): TextPlace | undefined {
  try {
    let found: AnyNode = parse(text).body
    for (const step of steps) {
      const next = childOf(found, step)
      if (next === undefined) break
      found = next
    }
    const { line, column } = found.loc.start
    return { line, column }
  } catch {
    return undefined
  }
}

function childOf(node: AnyNode, step: string): AnyNode | undefined {
  if (node.type === 'Array') return node.elements[Number(step)]?.value
  if (node.type !== 'Object') return undefined
  return node.members.find(({ name }) => (name.type === 'String' ? name.value : name.name) === step)
    ?.value
}
