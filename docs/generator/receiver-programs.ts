import { readFileSync } from 'node:fs'
import { code, fence, page, table } from './markdown.ts'

interface Program {
  readonly file: string
  /** Absent for a file that the programs share. */
  readonly command?: string
  readonly text: string
}

/** A page of docs/receivers, with programs of examples/receivers. */
interface Language {
  readonly page: string
  readonly name: string
  readonly fence: string
  readonly programs: readonly Program[]
  /** A function that verifies with a public key. */
  readonly publicKey?: Program
}

const START = 'HOOKLINE_SECRET="a shared secret"'

const LANGUAGES: readonly Language[] = [
  {
    page: 'node',
    name: 'Node.js',
    fence: 'js',
    programs: [
      { file: 'inbox.mjs', text: 'The Node.js programs share this file:' },
      {
        file: 'receiver.mjs',
        command: 'node receiver.mjs',
        text: 'With Node.js alone, version 20.10 or newer:',
      },
      {
        file: 'receiver-with-client.mjs',
        command: 'node receiver-with-client.mjs',
        text: 'With `verifySignature` from [the client library](../../packages/client/README.md):',
      },
      {
        file: 'receiver-express.mjs',
        command: 'node receiver-express.mjs',
        text: '**Express**: use `express.raw` for the route. If `express.json()` runs first, for example because of `app.use`, the raw body is lost, and the signature cannot be verified.',
      },
      {
        file: 'receiver-fastify.mjs',
        command: 'node receiver-fastify.mjs',
        text: "**Fastify**: replace the JSON parser with one that returns the bytes. Inside a plugin, this affects only the plugin's routes.",
      },
    ],
    publicKey: { file: 'public-key.mjs', text: 'With Node.js alone:' },
  },
  {
    page: 'python',
    name: 'Python',
    fence: 'python',
    programs: [
      {
        file: 'receiver.py',
        command: 'python3 receiver.py',
        text: 'Python 3.9 or newer, with the standard library:',
      },
    ],
    publicKey: {
      file: 'public_key.py',
      text: 'With the package [`cryptography`](https://cryptography.io):',
    },
  },
  {
    page: 'go',
    name: 'Go',
    fence: 'go',
    programs: [
      {
        file: 'receiver.go',
        command: 'go run receiver.go',
        text: 'Go 1.22 or newer, with the standard library:',
      },
    ],
    publicKey: { file: 'public_key.go', text: 'With the standard library:' },
  },
  {
    page: 'php',
    name: 'PHP',
    fence: 'php',
    programs: [
      {
        file: 'receiver.php',
        command: 'php -S 127.0.0.1:4801 receiver.php',
        text: 'PHP 8.1 or newer. The same file works behind PHP-FPM:',
      },
    ],
  },
  {
    page: 'ruby',
    name: 'Ruby',
    fence: 'ruby',
    programs: [
      {
        file: 'receiver.rb',
        command: 'ruby receiver.rb',
        text: 'Ruby 3.0 or newer. Ruby no longer includes an HTTP server: run `gem install webrick`. In Rails, call `signed?` and `store` in a controller, with `request.headers` and `request.raw_post`.',
      },
    ],
  },
]

/** A page for each language, with its programs. */
export const RECEIVER_PAGES = LANGUAGES.map((language) => ({
  path: `docs/receivers/${language.page}.md`,
  render: () => languagePage(language),
}))

/** The table of the pages, for docs/guides/receivers.md. */
export function receiverPrograms(): string {
  const rows = LANGUAGES.map(({ name, page: path, programs }) => [
    `[${name}](../receivers/${path}.md)`,
    programs.map(({ file }) => code(file)).join(', '),
  ])
  return table(['language', 'files'], rows)
}

function languagePage({ name, fence: language, programs, publicKey }: Language): string {
  const commands = programs.flatMap(({ file, command }) =>
    command === undefined ? [] : [[code(file), code(`${START} ${command}`)]],
  )
  const block = ({ file, text }: Program): string[] => [
    text,
    fence(`${language} file=${file}`, contentOf(file)),
  ]
  return page(
    `# Receivers in ${name}`,
    "A receiver verifies each request, stores the delivery in the `inbox` folder, and responds with 200. [Write a receiver](../guides/receivers.md) lists the requirements, and describes how to [test it](../guides/receivers.md#test-your-receiver). The files are also in the repository's `examples/receivers` folder.",
    table(['file', 'run it with'], commands),
    ...programs.flatMap(block),
    ...(publicKey === undefined
      ? []
      : [
          '## Verify with a public key',
          'If the destination signs with [a key pair](../guides/receivers.md#verify-with-a-public-key), replace the verification with this function.',
          ...block(publicKey),
        ]),
  )
}

function contentOf(file: string): string {
  const path = new URL(`../../examples/receivers/${file}`, import.meta.url)
  return readFileSync(path, 'utf8').trimEnd()
}
