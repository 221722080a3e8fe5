import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Snippet } from '../../packages/console/src/domain/snippets/snippets.ts'
import { VERIFIERS, type VerifierId } from '../../packages/console/src/domain/snippets/verify.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The input of a verifier. */
export interface SnippetCase {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface RunResult {
  readonly status: number | null
  readonly output: string
}

/** Saves and runs a snippet with the file name and the command that the console shows. */
export function runSnippet({ file, code, run }: Snippet): Promise<RunResult> {
  return inFolder(file === undefined ? {} : { [file]: code }, run ?? code, { hasPackages: true })
}

/** Runs the verifier of a language. Resolves with its result for each case. */
export async function verdicts(
  id: VerifierId,
  secret: string,
  cases: readonly SnippetCase[],
): Promise<boolean[]> {
  const { file, command, around } = RUNS[id]
  const { code } = VERIFIERS.find((each) => each.id === id)!
  const files = { [file]: around(code), 'cases.json': JSON.stringify(cases) }
  const { status, output } = await inFolder(files, command, {
    environment: { HOOKLINE_SECRET: secret },
  })
  if (status !== 0) throw new Error(output)
  return JSON.parse(output) as boolean[]
}

interface Run {
  readonly file: string
  readonly command: string
  /** Wraps the code in a program that prints its result for each case in `cases.json`, as a JSON array. */
  readonly around: (code: string) => string
}

const RUNS: Readonly<Record<VerifierId, Run>> = {
  node: {
    file: 'verify.mjs',
    command: 'node verify.mjs',
    around: (code) => `import { readFileSync } from 'node:fs'
${code}
const cases = JSON.parse(readFileSync('cases.json', 'utf8'))
console.log(JSON.stringify(cases.map((each) => verifySignature(Buffer.from(each.body), each.headers))))`,
  },
  python: {
    file: 'verify.py',
    command: 'python3 verify.py',
    around: (code) => `import json
${code}
cases = json.load(open("cases.json"))
print(json.dumps([verify_signature(each["body"].encode(), each["headers"]) for each in cases]))`,
  },
  go: {
    file: 'verify.go',
    command: 'go run verify.go',
    around: (code) => `package main
import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)
${code}
func main() {
	key := []byte(os.Getenv("HOOKLINE_SECRET"))
	if encoded, found := strings.CutPrefix(string(key), "whsec_"); found {
		key, _ = base64.StdEncoding.DecodeString(encoded)
	}
	var cases []struct { Body string; Headers map[string]string }
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil { panic(err) }
	var all []bool
	for _, each := range cases {
		header := http.Header{}
		for name, value := range each.Headers { header.Set(name, value) }
		all = append(all, verifySignature(key, []byte(each.Body), header))
	}
	json.NewEncoder(os.Stdout).Encode(all)
}`,
  },
  php: {
    file: 'verify.php',
    command: 'php verify.php',
    around: (code) => `<?php
${code}
$cases = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn ($each) => verifySignature($each['body'], $each['headers']), $cases));`,
  },
  ruby: {
    file: 'verify.rb',
    command: 'ruby verify.rb',
    around: (code) => `require 'json'
${code}
cases = JSON.parse(File.read('cases.json'))
puts JSON.generate(cases.map { |each| verify_signature(each['body'], each['headers']) })`,
  },
}

interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>
  /** Whether the packages of the repository are installed. Verifiers must work without them. */
  readonly hasPackages?: boolean
}

async function inFolder(
  files: Readonly<Record<string, string>>,
  command: string,
  { environment = {}, hasPackages = false }: Surroundings,
): Promise<RunResult> {
  using folder = new TemporaryFolder()
  const project = join(folder.path, 'project')
  mkdirSync(project)
  if (hasPackages) symlinkSync(MODULES, join(project, 'node_modules'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content)
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  const child = spawn('sh', ['-c', command], {
    cwd: project,
    env: { ...process.env, ...environment, NODE_OPTIONS: '--conditions=hookline-source' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text: Buffer) => (output += text.toString()))
  child.stderr.on('data', (text: Buffer) => (output += text.toString()))
  child.on('close', (status) => resolve({ status, output }))
  return await promise
}
