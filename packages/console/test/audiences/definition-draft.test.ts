import type { Json } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shownBy, withDraft, withText } from '../../src/domain/conditions/draft/definition-draft.ts'
import { CONDITIONS } from '../../src/pages/audiences/draft/clause-draft.ts'
import { COMPUTES } from '../../src/pages/audiences/draft/compute-draft.ts'
import { anyCompute, anyCondition } from './any-condition.ts'

test('the inputs show every condition that the protocol allows, and return it unchanged', () => {
  fc.assert(
    fc.property(anyCondition, (condition) => {
      const tree = shownBy(CONDITIONS, condition)
      expect(tree).toBeDefined()
      expect(CONDITIONS.jsonOf(tree!)).toEqual(condition)
      expect(CONDITIONS.isComplete(tree!)).toBe(true)
    }),
  )
})

test('the inputs show every computation that the protocol allows, and return it unchanged', () => {
  fc.assert(
    fc.property(anyCompute, (compute) => {
      const draft = shownBy(COMPUTES, compute)
      expect(draft).toBeDefined()
      expect(COMPUTES.jsonOf(draft!)).toEqual(compute)
      expect(COMPUTES.isComplete(draft!)).toBe(true)
    }),
  )
})

test('every condition can be described in words', () => {
  fc.assert(
    fc.property(anyCondition, (condition) => {
      const words = CONDITIONS.describe(CONDITIONS.draftOf(condition), () => undefined)
      expect(words).not.toMatch(/undefined|\[object|[\p{Cc}\u202e]/u)
    }),
  )
})

test('for any JSON, the inputs show exactly the same definition, or nothing', () => {
  const near = fc.oneof(
    fc.jsonValue(),
    fc.tuple(anyCondition, fc.string(), fc.jsonValue()).map(([condition, name, value]) => ({
      ...(condition as object),
      [name]: value,
    })),
  )
  fc.assert(
    fc.property(near, (json) => {
      const tree = shownBy(CONDITIONS, json as Json)
      if (tree !== undefined)
        expect(JSON.parse(JSON.stringify(CONDITIONS.jsonOf(tree)))).toEqual(
          JSON.parse(JSON.stringify(json)),
        )
    }),
  )
})

describe('a definition', () => {
  test('written as JSON is shown by the inputs', () => {
    const { draft, json } = withText(CONDITIONS, '{"trait":"plan","op":"exists"}')
    expect(draft).toMatchObject({ clause: { kind: 'trait', name: 'plan' } })
    expect(json).toEqual({ trait: 'plan', op: 'exists' })
  })

  test('written with inputs is shown as JSON', () => {
    const { draft } = withText(CONDITIONS, '{"not":{"audience":"aud_x"}}')
    expect(withDraft(CONDITIONS, draft!).text).toBe(
      '{\n  "not": {\n    "audience": "aud_x"\n  }\n}',
    )
  })

  test.for([
    '{"trait":"plan","op":"equals","value":"pro","valeu":1}',
    '{"and":[]} ',
    '{"and":{"trait":"a","op":"exists"}}',
    '{"event":"A","type":"page"}',
    '{"trait":"age","op":"<","value":"5"}',
    '{"event":"A","within":{"days":1,"hours":2}}',
    '[]',
    '5',
  ])(
    'that the inputs cannot show keeps its text, and is sent to the service unchanged: %s',
    (text) => {
      const written = withText(CONDITIONS, text)
      expect(written.json).toEqual(JSON.parse(text))
      // Inputs can show an empty group, to add its first clause.
      if (!text.includes('[]}')) expect(written.draft).toBeUndefined()
    },
  )

  test('with invalid JSON is undefined', () => {
    expect(withText(CONDITIONS, '{"and":')).toEqual({
      draft: undefined,
      json: undefined,
      text: '{"and":',
    })
  })
})
