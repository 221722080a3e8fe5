import { isJsonObject, type Json, type JsonObject } from './json.ts'

/** The steps of a path such as `address.city`. A name that contains a dot is written with a backslash: `utm\.source`. */
export function pathOf(text: string): readonly string[] {
  return text.split(/(?<!\\)\./).map((step) => step.replaceAll(String.raw`\.`, '.'))
}

/** The value at the path. Traverses objects, but not lists or inherited keys. */
export function valueAt(object: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object
  for (const step of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}
