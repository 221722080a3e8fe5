import { isJsonObject, isRounded, type JsonObject, revive } from '@hookline/protocol'
import { parse } from '@humanwhocodes/momoa'
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../failure.ts'

/** Reads text from a file, or from stdin for `-`. @throws {Failure} `usage`, with this hint */
export async function textIn(file: string, hint: string): Promise<string> {
  const input = file === '-' ? buffer(process.stdin) : readFile(file)
  const bytes = await input.catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `Cannot read ${file} (${cause.code}).`, { cause, hint })
  })
  // Invalid bytes would become U+FFFD.
  if (!isUtf8(bytes)) throw new Failure('usage', `${nameOf(file)} is not valid UTF-8.`, { hint })
  return new TextDecoder().decode(bytes)
}

function nameOf(file: string): string {
  return file === '-' ? 'Standard input' : file
}

/** Reads a JSON object from a file, or from stdin for `-`. @throws {Failure} `usage`, with this hint */
export async function jsonObjectIn(file: string, hint: string): Promise<JsonObject> {
  const name = nameOf(file)
  const text = await textIn(file, hint)
  const position = jsonErrorPosition(text)
  if (position !== undefined) {
    // Does not quote the file, which may contain secrets.
    const message = `${name} is not valid JSON: error at or before ${position}.`
    throw new Failure('usage', message, { hint })
  }
  const document = revive(text, (key, value, { source }) => {
    // A rounded number would be sent as a different value, or as null.
    if (typeof value !== 'number' || !isRounded(source)) return value
    const message = `${name} has a number for ${JSON.stringify(key)} that JavaScript cannot represent exactly. Use fewer digits or a string.`
    throw new Failure('usage', message, { hint })
  })
  if (isJsonObject(document)) return document
  throw new Failure('usage', `${name} is valid JSON, but not an object.`, { hint })
}

/** The position of a syntax error, as `line 3, column 5`; `undefined` for valid JSON. */
function jsonErrorPosition(text: string): string | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    const { line, column } = error as { readonly line: number; readonly column: number }
    return `line ${line}, column ${column}`
  }
}
