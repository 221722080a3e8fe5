import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { makeClone } from '@hookline/testing/pages/clone'
import { type Fence, valueOf } from '@hookline/testing/pages/fences'
import { Terminal } from './terminal.ts'

/** The commands of a block, with their results. */
export interface ReadBlock {
  readonly text: string
  readonly failures: readonly number[]
  readonly output: string
}

/**
 * Follows a page like its reader, in a clone named `hookline`: pastes each block of commands, saves each file, and replaces
 * `wk_…`, `dst_…` and the like with the ids that commands have printed.
 */
export class PageReader implements AsyncDisposable {
  readonly #folder = new TemporaryFolder()
  readonly #clone = join(this.#folder.path, 'hookline')
  readonly #terminal: Terminal
  readonly #outputs: (() => string)[] = []

  constructor() {
    makeClone(this.#clone)
    const session = join(this.#folder.path, 'session')
    mkdirSync(session)
    const path = `${join(this.#clone, 'node_modules/.bin')}:${process.env['PATH']}`
    const env = {
      ...withoutHookline(process.env),
      PATH: path,
      HOME: session,
      npm_config_offline: 'true',
    }
    this.#terminal = new Terminal({ folder: session, cwd: this.#clone, env })
  }

  /** Runs or saves the block. */
  async read(fence: Fence): Promise<ReadBlock> {
    const text = this.#withIds(fence.text)
    const file = valueOf(fence, 'file')
    if (file !== undefined) {
      await this.#save(file, text)
      return { text, failures: [], output: '' }
    }
    if (fence.words.includes('stop-others')) await this.#terminal.stopBackground()
    if (fence.words.includes('background')) {
      const output = await this.#terminal.runInBackground(text)
      this.#outputs.push(output)
      return { text, failures: [], output: output() }
    }
    const result = await this.#terminal.run(text)
    this.#outputs.push(() => result.output)
    return { text, ...result }
  }

  /** Waits until the terminals show each line of a block of output. */
  async sees(output: Fence): Promise<void> {
    const lines = output.text.split('\n').filter((line) => line.trim() !== '')
    await eventually(() => {
      const shown = this.#outputs.map((each) => each()).join('\n')
      for (const line of lines) expect(shown).toMatch(patternOf(line.trim()))
    }, 50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#terminal[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }

  /** Saves a file in the reader's current folder. */
  async #save(name: string, text: string): Promise<void> {
    const { output } = await this.#terminal.run('pwd')
    const path = join(output.trim(), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  #withIds(text: string): string {
    return text.replaceAll(/\b([a-z]+)_…/g, (placeholder, prefix: string) => {
      const printed = this.#outputs.flatMap((output) => output().match(idsOf(prefix)) ?? [])
      if (printed.length === 0) throw new Error(`No earlier command printed ${placeholder}.`)
      return printed.at(-1)!
    })
  }
}

/** Parts of the output that differ each time: ids, times and durations. On a page, `…` stands for anything. */
const VOLATILE =
  /\b[a-z]+_[\da-z]{26}\b|\b[\da-f]{8}(?:-[\da-f]+){4}\b|(?:[\d-]+T)?\d\d:\d\d:\d\d[.\d]*Z?|\d+(?= m?s\b)|…/

function patternOf(line: string): RegExp {
  const parts = line.split(new RegExp(VOLATILE, 'g')).map(escaped)
  return new RegExp(parts.join('.*'))
}

/** Ignores differences in the alignment of columns. */
function escaped(text: string): string {
  return text
    .split(/ +/)
    .map((word) => RegExp.escape(word))
    .join(' +')
}

function idsOf(prefix: string): RegExp {
  return new RegExp(String.raw`\b${prefix}_[\w-]{8,}`, 'g')
}

/** The environment without settings of Hookline, npm, Node and Vitest. */
function withoutHookline(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(HOOKLINE_|npm_|NODE_|VITEST)/.test(name)),
  )
}
