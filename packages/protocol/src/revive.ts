import type { Json } from './json.ts'

/** The types of the compiler do not know yet that the reviver gets the text of the value. */
type Reviver = (name: string, value: unknown, context: { readonly source: string }) => unknown

/** Parses JSON with a reviver. `undefined` where the text is nested so deep that the parser exhausts the stack. */
export function revive(text: string, reviver: Reviver): Json | undefined {
  try {
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as Json
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
