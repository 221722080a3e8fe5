import { expect, test } from 'vitest'
import { mailAddressesIn } from '../src/index.ts'

const addressesIn = (query: string) => mailAddressesIn(new URL(`smtp://mail.example/?${query}`))

test.each([
  ['to=a@x.example,%20b@x.example', ['a@x.example', 'b@x.example']],
  ['to=a@x.example&to=b@x.example', ['a@x.example', 'b@x.example']],
  ['to=ops+alerts@x.example', ['ops+alerts@x.example']],
  ['to=ops%2Balerts@x.example', ['ops+alerts@x.example']],
])('%s has all recipients', (query, to) => {
  expect(addressesIn(query)).toEqual({ to })
})

test.each([
  '',
  'to=',
  'to=a@x.example,',
  'to=a',
  'cc=a@x.example',
  'to=a@x.example&cc=b@x.example',
  'to=a@x.example&from=b@x.example&from=c@x.example',
  `to=${Array<string>(21).fill('a@x.example').join()}`,
])('%j is invalid', (query) => {
  expect(addressesIn(query)).toBeUndefined()
})
