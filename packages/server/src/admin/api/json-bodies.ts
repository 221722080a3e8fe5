import { isJsonObject, isRounded, type Json, revive, roundedNumbers } from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import type { AdminApp } from './admin-app.ts'
import { Problem } from '../problems/problem.ts'

const BODY_BYTES = 1024 * 1024

/** Accepts JSON bodies only whose values are stored as they are: other bytes than UTF-8 would make two ids one. */
export function acceptJsonOnly(app: AdminApp): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, bodyLimit: BODY_BYTES }
  app.addContentTypeParser<Buffer>('application/json', options, (request, body, done) => {
    // An empty body is no body.
    if (body.length === 0) return done(null, undefined)
    if (!isUtf8(body)) return done(new Problem('invalid_json'))
    const text = body.toString()
    void parse(request, text, (error, json) => {
      const faults = error ? [] : changedValues(text)
      if (faults.length > 0) return done(new Problem('invalid_body', { faults }))
      done(error, json)
    })
  })
}

/** The first half of a character, or the second one, as an escape. The text is UTF-8, so it has no others. */
const HALF = /\\u[dD][89a-fA-F]/

/** JSON has no such value. */
const ROUNDED = Number.NaN

const USE_TEXT = 'Send it as a text, or send a number that a double can hold.'
const WHOLE = 'Give whole Unicode characters: half a surrogate pair cannot be written as UTF-8.'

/**
 * Returns a fault for each value of a body that would be stored as another one: a number that JavaScript rounds, and a text
 * with half a character.
 * @param text valid JSON
 */
function changedValues(text: string): readonly Fault[] {
  if (roundedNumbers(text).values.size === 0 && !HALF.test(text)) return []
  const body = revive(text, (_name, value, { source }) =>
    typeof value === 'number' && isRounded(source) ? ROUNDED : value,
  )
  return body === undefined ? [] : faultsIn(body)
}

/** It does not recurse, because a hostile body may be nested deep. */
function faultsIn(body: Json): readonly Fault[] {
  const faults: Fault[] = []
  const open: (readonly [pointer: string, value: Json])[] = [['', body]]
  for (const [pointer, value] of open) {
    if (Number.isNaN(value)) {
      faults.push(fault(pointer, 'not_exact', 'The number would be rounded.', USE_TEXT))
    }
    if (typeof value === 'string' && !value.isWellFormed()) {
      faults.push(fault(pointer, 'not_unicode', 'The text is not valid Unicode.', WHOLE))
    }
    for (const [name, child] of childrenOf(value)) open.push([pointer + jsonPointer(name), child])
  }
  return faults
}

function childrenOf(value: Json): readonly (readonly [name: string | number, value: Json])[] {
  if (Array.isArray(value)) return [...value.entries()]
  return isJsonObject(value) ? (Object.entries(value) as [string, Json][]) : []
}
