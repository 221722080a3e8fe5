import {
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  parseTimestamp,
} from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../../util/fault.ts'
import { DURATION_UNITS, durationMs } from '../window.ts'

const UNITS = Object.keys(DURATION_UNITS)
const LONGEST_MS = durationMs({ days: LIMITS.windowDays })

/** The fields of a window. */
export const WINDOW_FIELDS = ['within', 'between']

/** Adds faults of the window of `input`, which may have none. */
export function checkWindow(input: JsonObject, pointer: string, faults: Fault[]): void {
  const { within, between } = input
  if (within !== undefined && between !== undefined) {
    const hint = 'Give within for a window that ends now, or between for a fixed one.'
    faults.push(fault(`${pointer}/between`, 'exclusive', 'between excludes within.', hint))
  }
  if (within !== undefined) faults.push(...withinFaults(within, `${pointer}/within`))
  if (between !== undefined) faults.push(...betweenFaults(between, `${pointer}/between`))
}

function withinFaults(within: Json, pointer: string): Fault[] {
  const hint = `Give a whole number of ${UNITS.join(', ')}, up to ${LIMITS.windowDays} days: {"days": 30}.`
  if (!isJsonObject(within)) {
    return [fault(pointer, 'wrong_type', 'within must be an object.', hint)]
  }
  const unknown = unknownFields(within, UNITS, pointer)
  if (unknown.length > 0) return unknown
  const [length, ...others] = Object.values(within)
  if (length === undefined) return [fault(pointer, 'required', 'The length is missing.', hint)]
  if (others.length > 0) return [fault(pointer, 'exclusive', 'Give one unit only.', hint)]
  const isLength =
    Number.isInteger(length) && Number(length) >= 1 && durationMs(within) <= LONGEST_MS
  return isLength ? [] : [fault(pointer, 'out_of_range', 'It is no length of a window.', hint)]
}

function betweenFaults(between: Json, pointer: string): Fault[] {
  const hint = 'Give two timestamps: ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"].'
  if (!Array.isArray(between) || between.length !== 2) {
    return [fault(pointer, 'wrong_type', 'between must be a list of two timestamps.', hint)]
  }
  const times = between.map((each: Json) =>
    typeof each === 'string' ? parseTimestamp(each) : undefined,
  )
  const faults = times.flatMap((time, index) =>
    time === undefined
      ? [fault(`${pointer}/${index}`, 'wrong_form', 'It is no timestamp.', hint)]
      : [],
  )
  const [from, to] = times
  if (from !== undefined && to !== undefined && from >= to) {
    const order = 'Give the earlier timestamp first. The window ends before the second one.'
    faults.push(fault(pointer, 'out_of_range', 'The window is empty.', order))
  }
  return faults
}
