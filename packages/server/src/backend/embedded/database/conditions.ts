import { idFrom, type IdPrefix } from '@hookline/protocol'
import type { SQLInputValue } from 'node:sqlite'

/** Conditions of a SELECT, each beginning with AND, and their values in order. */
export interface Conditions {
  readonly where: string
  readonly values: readonly SQLInputValue[]
}

/** The conditions whose value is not `undefined`. */
export function conditionsOf(
  all: readonly (readonly [sql: string, value: string | number | undefined])[],
): Conditions {
  const used = all.filter((each) => each[1] !== undefined)
  return {
    where: used.map(([sql]) => ` AND ${sql}`).join(''),
    values: used.map(([, value]) => value!),
  }
}

/** A filter without its empty texts. They stand for no condition. */
export function withoutEmptyTexts<T extends object>(filter: T): Partial<T> {
  const entries = Object.entries(filter).filter(([, value]) => value !== '')
  return Object.fromEntries(entries) as Partial<T>
}

/** The least id that can have been made at a time, in milliseconds since the epoch. */
export function leastIdAt(prefix: IdPrefix, ms: number): string {
  return idFrom(prefix, Math.max(0, ms), new Uint8Array(10))
}
