import type { Json } from '@hookline/protocol'

/** The number that a person wrote; `undefined` while it is none. */
export function numberIn(text: string): number | undefined {
  return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
}

/** The JSON that a person wrote; `undefined` while it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
