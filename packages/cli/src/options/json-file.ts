import { isJsonObject, type JsonObject } from '@hookline/protocol'
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Failure } from '../failure.ts'

/** The JSON object in a file; `-` is the standard input. @throws {Failure} `usage`, with this hint */
export async function jsonObjectIn(file: string, hint: string): Promise<JsonObject> {
  const text = await textIn(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `Cannot read ${file} (${cause.code}).`, { cause, hint })
  })
  try {
    const document: unknown = JSON.parse(text)
    if (isJsonObject(document)) return document
  } catch {
    // The message quotes nothing: the file may contain secrets.
  }
  const shown = file === '-' ? 'The standard input' : file
  throw new Failure('usage', `${shown} does not contain a JSON object.`, { hint })
}

function textIn(file: string): Promise<string> {
  return file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')
}
