import { describe, expect, it } from 'vitest'
import { addField } from '../../../src/commands/events/send.ts'

describe('a field given as key=value', () => {
  it.for([
    ['revenue=39.95', { revenue: 39.95 }],
    ['paid=true', { paid: true }],
    ['items=[1,{"a":null}]', { items: [1, { a: null }] }],
    ['plan=team', { plan: 'team' }],
    ['zip=01234', { zip: '01234' }],
    ['quoted="5"', { quoted: '5' }],
    ['formula=a=b', { formula: 'a=b' }],
    ['empty=', { empty: '' }],
    ['order=12345678901234567890', { order: '12345678901234567890' }],
    ['large=1e400', { large: '1e400' }],
  ] as const)('%s', ([text, expected]) => {
    expect(addField(text)).toEqual(expected)
  })

  it('is added to the earlier fields, even if it is called __proto__', () => {
    const fields = addField('__proto__=1', addField('a=1'))
    expect(JSON.stringify(fields)).toBe('{"a":1,"__proto__":1}')
  })

  it.for(['revenue', '=1', ''])('is refused if it is %j', (text) => {
    expect(() => addField(text)).toThrow('key=value')
  })
})
