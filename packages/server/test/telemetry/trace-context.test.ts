import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  continuedFrom,
  remoteSpanIn,
  traceContextIn,
  traceHeadersOf,
} from '../../src/telemetry/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const PARENT = `00-${TRACE}-${SPAN}-01`

describe('the trace context of a call', () => {
  test.for([
    ['as sent', PARENT, PARENT],
    ['not sampled', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['with unknown flags', `00-${TRACE}-${SPAN}-ff`, `00-${TRACE}-${SPAN}-03`],
    ['of a later version', `01-${TRACE}-${SPAN}-01`, PARENT],
    ['of a later version with more fields', `cc-${TRACE}-${SPAN}-01-what-else`, PARENT],
  ] as const)('is kept: %s', ([, sent, kept]) => {
    expect(traceContextIn({ traceparent: sent })).toBe(kept)
  })

  test.for([
    ['', ' ', '00', PARENT.slice(1), `${PARENT} `, ` ${PARENT}`, `${PARENT}-more`, `${PARENT}-`],
    [`ff-${TRACE}-${SPAN}-01`, `0-${TRACE}-${SPAN}-01`, `01-${TRACE}-${SPAN}-01more`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`],
    [PARENT.toUpperCase(), PARENT.replace('4bf', 'xyz'), PARENT.replaceAll('-', '_')],
    [`${PARENT}, ${PARENT}`, `${PARENT}\n`, `${PARENT}\0`, 'a'.repeat(16_000)],
  ])('is ignored: %j', (invalid) => {
    for (const traceparent of invalid)
      expect(traceContextIn({ traceparent }), traceparent).toBeUndefined()
  })

  test.for([
    ['as sent', 'rojo=1,congo=t61', 'rojo=1,congo=t61'],
    ['of several tenants', 'fw529a3039@dt=FfAb;x', 'fw529a3039@dt=FfAb;x'],
    ['without spaces or empty members', ' rojo=1 ,\t, ,congo=t61', 'rojo=1,congo=t61'],
    ['with quotes', 'a="\\"', 'a="\\"'],
  ] as const)('has a tracestate: %s', ([, tracestate, kept]) => {
    const context = traceContextIn({ traceparent: PARENT, tracestate })!
    expect(traceHeadersOf(remoteSpanIn(context))).toEqual({ traceparent: PARENT, tracestate: kept })
  })

  test.for([
    ['a', '=', 'a=', '=a', 'A=1', 'a=b=c', 'a=\u00e9', 'a=1,a=2', 'a=\x01', '@a=1'],
    [`${'k'.repeat(257)}=1`, `a=${'v'.repeat(257)}`],
    [Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(',')],
  ])('has no invalid tracestate: %j', (invalid) => {
    for (const tracestate of invalid)
      expect(traceContextIn({ traceparent: PARENT, tracestate }), tracestate).toBe(PARENT)
  })

  test('has at most 512 characters of tracestate: long members are dropped first, then the last ones', () => {
    const short = Array.from({ length: 12 }, (_, index) => `k${index}=${'v'.repeat(50)}`)
    const sent = [...short.slice(0, 2), `long=${'v'.repeat(200)}`, ...short.slice(2)].join(',')
    const { tracestate = '' } = remoteSpanIn(
      traceContextIn({ traceparent: PARENT, tracestate: sent })!,
    )
    expect(tracestate).toBe(short.slice(0, 9).join(','))
  })

  test('is never longer than 568 characters, for any headers', () => {
    const header = fc.oneof(fc.string(), fc.constant(PARENT), fc.string({ minLength: 500 }))
    fc.assert(
      fc.property(header, header, (traceparent, tracestate) => {
        const context = traceContextIn({ traceparent, tracestate })
        expect(context ?? PARENT).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[0-3](?: [ -~]{1,512})?$/)
      }),
    )
  })
})

test('a request continues the trace with a new span', () => {
  const context = `${PARENT} rojo=1`
  const [first, second] = [continuedFrom(context), continuedFrom(context)]
  expect(first).toMatchObject({ tracestate: 'rojo=1' })
  expect(first.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[\\da-f]{16}-01$`))
  expect(second.traceparent).not.toBe(first.traceparent)
})
