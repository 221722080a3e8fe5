import { isJsonObject, isRounded, type JsonObject, revive } from '@hookline/protocol'
import { parse } from '@humanwhocodes/momoa'
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../failure.ts'

/** The JSON object in a file; `-` is the standard input. @throws {Failure} `usage`, with this hint */
export async function jsonObjectIn(file: string, hint: string): Promise<JsonObject> {
  const bytes = await bytesIn(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `Cannot read ${file} (${cause.code}).`, { cause, hint })
  })
  const name = file === '-' ? 'The standard input' : file
  // What is not UTF-8 would become U+FFFD.
  if (!isUtf8(bytes)) throw new Failure('usage', `${name} is not in UTF-8.`, { hint })
  const text = new TextDecoder().decode(bytes)
  const fault = jsonFault(text)
  if (fault !== undefined) {
    // It quotes nothing: the file may contain secrets.
    const message = `${name} is not valid JSON: look at ${fault}, or just before.`
    throw new Failure('usage', message, { hint })
  }
  const document = revive(text, (key, value, { source }) => {
    // It would be sent with another value, or as null.
    if (typeof value !== 'number' || !isRounded(source)) return value
    const message = `${name} has a number for ${JSON.stringify(key)} that JavaScript cannot represent. Write it with fewer digits, or as a text.`
    throw new Failure('usage', message, { hint })
  })
  if (isJsonObject(document)) return document
  throw new Failure('usage', `${name} is valid JSON, but not an object: {…}.`, { hint })
}

/** Where a text stops being JSON, as `line 3, column 5`; `undefined` if it is JSON. */
function jsonFault(text: string): string | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    const { line, column } = error as { readonly line: number; readonly column: number }
    return `line ${line}, column ${column}`
  }
}

function bytesIn(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file)
}
