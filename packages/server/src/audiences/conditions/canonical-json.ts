import { isJsonObject, type Json } from '@hookline/protocol'

/** The JSON text of a value, with the fields of objects in order: equal values have equal texts. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, each: Json) => (isJsonObject(each) ? inOrder(each) : each))
}

function inOrder(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
