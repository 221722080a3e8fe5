import type { Json } from '@hookline/protocol'

export function numberIn(text: string): number | undefined {
  return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
}

/** The entered JSON, or `undefined` if invalid. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

let lastId = 0

/** An id for a part of a draft, so that inputs keep their focus while parts around them change. */
export function draftId(): string {
  lastId += 1
  return `part-${lastId}`
}
