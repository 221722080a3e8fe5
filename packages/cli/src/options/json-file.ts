import { isJsonObject, type JsonObject } from '@hookline/protocol'
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Failure } from '../failure.ts'
import { jsonFault } from '../problems/json-place.ts'

/** The JSON object in a file; `-` is the standard input. @throws {Failure} `usage`, with this hint */
export async function jsonObjectIn(file: string, hint: string): Promise<JsonObject> {
  const text = await textIn(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `Cannot read ${file} (${cause.code}).`, { cause, hint })
  })
  const name = file === '-' ? 'The standard input' : file
  const fault = jsonFault(text)
  if (fault !== undefined) {
    // It quotes nothing: the file may contain secrets.
    const place = `line ${fault.line}, column ${fault.column}`
    const message = `${name} is not valid JSON: look at ${place}, or just before.`
    throw new Failure('usage', message, { hint })
  }
  const document: unknown = JSON.parse(text)
  if (isJsonObject(document)) return document
  throw new Failure('usage', `${name} is valid JSON, but not an object: {…}.`, { hint })
}

function textIn(file: string): Promise<string> {
  return file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')
}
