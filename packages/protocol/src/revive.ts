import type { Json } from './json.ts'

/** TypeScript's types lack the third argument of revivers, which has the source text of the value. */
type Reviver = (name: string, value: unknown, context: { readonly source: string }) => unknown

/** Parses JSON with a reviver. `undefined` if the text is nested so deeply that the parser exhausts the stack. */
export function revive(text: string, reviver: Reviver): Json | undefined {
  try {
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as Json
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
