import { newPrivateKey, publicKeyOf } from '@hookline/protocol/ed25519'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { startService } from '@hookline/testing/service/running-service'
import { FILES } from './programs.ts'
import { isInstalled, START_MS } from './receiver-process.ts'

/** Programs that read requests from cases.json, and print the verdict on each. */
const PROGRAMS = [
  {
    file: 'public-key.mjs',
    language: 'node',
    command: ['node', 'main.mjs'],
    main: `import { readFileSync } from 'node:fs'
import { isSigned } from './public-key.mjs'
const { key, cases } = JSON.parse(readFileSync('cases.json', 'utf8'))
console.log(JSON.stringify(cases.map((each) => isSigned(key, each.headers, Buffer.from(each.body)))))`,
  },
  {
    file: 'public_key.py',
    language: 'python3',
    command: ['python3', 'main.py'],
    main: `import json
from public_key import is_signed
given = json.load(open("cases.json"))
print(json.dumps([is_signed(given["key"], each["headers"], each["body"].encode()) for each in given["cases"]]))`,
  },
  {
    file: 'public_key.go',
    language: 'go',
    command: ['go', 'run', 'main.go', 'public_key.go'],
    main: `package main
import (
	"encoding/json"
	"net/http"
	"os"
)
func main() {
	var given struct { Key string; Cases []struct { Body string; Headers map[string]string } }
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &given); err != nil { panic(err) }
	var all []bool
	for _, each := range given.Cases {
		header := http.Header{}
		for name, value := range each.Headers { header.Set(name, value) }
		all = append(all, isSignedWith(given.Key, header, []byte(each.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(all)
}`,
  },
]

interface Case {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

let key: string
let sent: Case

beforeAll(async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: 'a shared secret' })
  const settings = { signature: 'both' }
  const changed = await service.api.call<{
    settings: { signingKeys: { publicKey: string }[] }
  }>('PATCH', `destinations/${id}`, { settings })
  key = changed.settings.signingKeys[0]!.publicKey
  await service.send('/v1/track', { type: 'track', userId: 'u1', event: 'Käse 🧀' })
  const [{ body, headers }] = (await receiver.waitFor(1)) as [(typeof receiver.requests)[number]]
  sent = { body: body.toString(), headers: headers as Record<string, string> }
})

const change = (headers: Record<string, string>): Case => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
})
const secondsAgo = (age: number): string => String(Math.round(Date.now() / 1000) - age)

test.for(PROGRAMS)(
  '$file accepts a request from the service, and refuses changed ones',
  { timeout: START_MS },
  ({ file, language, command: [program, ...args], main }, { skip }) => {
    if (!isInstalled({ language })) skipOrFail(language, 'HOOKLINE_REQUIRE_LANGUAGES', skip)
    const signature = sent.headers['webhook-signature']!
    const asymmetric = signature.split(' ')[1]!
    const cases = [
      sent,
      change({ 'webhook-signature': `v1a,% ${asymmetric}` }),
      { ...sent, body: `${sent.body} ` },
      change({ 'webhook-id': 'msg_2' }),
      change({ 'webhook-timestamp': String(Number(sent.headers['webhook-timestamp']) - 9) }),
      change({ 'webhook-timestamp': secondsAgo(400) }),
      change({ 'webhook-timestamp': 'NaN' }),
      change({ 'webhook-signature': signature.split(' ')[0]! }),
      change({ 'webhook-signature': asymmetric.replace('v1a,', 'v1,') }),
      change({ 'webhook-signature': asymmetric.slice(0, -4) }),
      change({ 'webhook-signature': 'v1a,%%' }),
      change({ 'webhook-signature': '' }),
    ]
    const verdictsWith = (publicKey: string): boolean[] => {
      using folder = new TemporaryFolder()
      writeFileSync(join(folder.path, file), FILES.get(file)!)
      writeFileSync(join(folder.path, `main.${file.split('.')[1]}`), main)
      writeFileSync(join(folder.path, 'cases.json'), JSON.stringify({ key: publicKey, cases }))
      const { stdout, stderr } = spawnSync(program!, args, { cwd: folder.path, encoding: 'utf8' })
      expect(stderr).toBe('')
      return JSON.parse(stdout) as boolean[]
    }
    expect(verdictsWith(key)).toEqual([true, true, ...cases.slice(2).map(() => false)])
    for (const other of [publicKeyOf(newPrivateKey()), 'whpk_YQ==', 'whpk_%', ''])
      expect(verdictsWith(other)).toEqual(cases.map(() => false))
  },
)
