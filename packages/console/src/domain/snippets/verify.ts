/** Code that verifies a request without dependencies. A test runs each verifier. */
export interface Verifier {
  readonly id: VerifierId
  readonly name: string
  readonly code: string
  /** The arguments of the function. */
  readonly note: string
}

export type VerifierId = 'node' | 'python' | 'go' | 'php' | 'ruby'

/** Each checks the age of the request, and compares in constant time. */
export const VERIFIERS: readonly Verifier[] = [
  {
    id: 'node',
    name: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto'

const secret = process.env.HOOKLINE_SECRET
const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret

function verifySignature(body, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': all = '' } = headers
  if (!/^\\d{1,12}$/.test(at) || Math.abs(Date.now() / 1000 - at) > 300) return false
  const mac = createHmac('sha256', key).update(\`\${id}.\${at}.\`).update(body).digest('base64')
  const expected = Buffer.from(\`v1,\${mac}\`)
  const isExpected = (each) => each.length === expected.length && timingSafeEqual(each, expected)
  return all.split(' ').some((each) => isExpected(Buffer.from(each)))
}`,
    note: 'body: the raw bytes, before JSON is parsed. headers: request.headers.',
  },
  {
    id: 'python',
    name: 'Python',
    code: `import base64, hashlib, hmac, os, time

SECRET = os.environ["HOOKLINE_SECRET"]
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()

def verify_signature(body, headers):
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at[:12])) > 300:
        return False
    mac = hmac.new(KEY, f"{id}.{at}.".encode() + body, hashlib.sha256)
    expected = b"v1," + base64.b64encode(mac.digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(each, expected) for each in signatures)`,
    note: 'body: the raw bytes. headers: the request headers, such as request.headers in Flask and Django.',
  },
  {
    id: 'go',
    name: 'Go',
    code: `// key: the secret as bytes. After whsec_, it is base64.
func verifySignature(key, body []byte, header http.Header) bool {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return slices.ContainsFunc(strings.Fields(header.Get("webhook-signature")), func(each string) bool {
		return hmac.Equal([]byte(each), expected)
	})
}`,
    note: 'body: the result of io.ReadAll, before it is decoded.',
  },
  {
    id: 'php',
    name: 'PHP',
    code: `function verifySignature(string $body, array $headers): bool
{
    $secret = getenv('HOOKLINE_SECRET');
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : $secret;
    [$id, $at] = [$headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? ''];
    if (!preg_match('/^\\d{1,12}$/D', $at) || abs(time() - (int) $at) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
    $signatures = explode(' ', $headers['webhook-signature'] ?? '');
    return in_array(true, array_map(fn ($each) => hash_equals($expected, $each), $signatures), true);
}`,
    note: "body: file_get_contents('php://input'). headers: array_change_key_case(getallheaders()).",
  },
  {
    id: 'ruby',
    name: 'Ruby',
    code: `require 'openssl'

SECRET = ENV.fetch('HOOKLINE_SECRET')
KEY = SECRET.start_with?('whsec_') ? SECRET.delete_prefix('whsec_').unpack1('m0') : SECRET

def verify_signature(body, headers)
  id, at = headers['webhook-id'].to_s, headers['webhook-timestamp'].to_s
  return false unless at.match?(/\\A\\d{1,12}\\z/) && (Time.now.to_i - at.to_i).abs <= 300

  digest = OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{at}.".b + body.b)
  expected = "v1,#{[digest].pack('m0')}"
  headers['webhook-signature'].to_s.split.any? { |each| OpenSSL.secure_compare(each, expected) }
end`,
    note: 'In Rails, body: request.raw_post, headers: request.headers.',
  },
]
