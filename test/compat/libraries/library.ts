import type { Call, CallType } from '../scenarios/call.ts'
import type { ScenarioName } from '../scenarios/scenario-names.ts'

/** How the libraries of a language get onto this machine: once for each state of its manifest and lockfile. */
export interface Installation {
  /** The first part of the name of its folder in the cache. */
  readonly name: string
  /** Commands that say that a program is there, such as `['go', 'version']`. */
  readonly needs: readonly (readonly string[])[]
  /** The manifest, the lockfile, and what is compiled. The folder is made anew when one of them changes. */
  readonly files: readonly URL[]
  /** Installs, and compiles, into an empty folder, which is renamed afterwards. Throws with the output where it fails. */
  install(folder: string): Promise<void>
}

/** How a program is started. `PATH`, `HOME` and what README.md lists are in its environment. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** One version of a client library, as its registry has it. */
export interface Library {
  /** As its registry names it. */
  readonly name: string
  readonly version: string
  /** As the page names it: `Node.js`, `Go`. */
  readonly language: string
  /** Versions with the same code of sending. The short form lets the longest scenarios happen to the first of each. */
  readonly family: string
  readonly installation: Installation
  /** @param folder that of the installation */
  command(folder: string): Command
  /** Types of calls that the library has no method for. */
  readonly lacks?: readonly CallType[]
  /** Scenarios that it takes no part in, and why, in words for the page. */
  readonly without?: Readonly<Partial<Record<ScenarioName, string>>>
  /** Scenarios in which the library itself gives calls up, and why, in words for the page. */
  readonly givesUp?: Readonly<Partial<Record<ScenarioName, string>>>
  /** Whether it needs https. Its program trusts the certificate in `COMPAT_CA`. */
  readonly speaksTls?: true
  /** The calls of a scenario, where a capture has them, and not a file. */
  recorded?(scenario: ScenarioName): readonly Call[]
  /** What the library makes of a call, where it cannot say all of it or changes it. By default, the call itself. */
  sends?(call: Call): Call
}
