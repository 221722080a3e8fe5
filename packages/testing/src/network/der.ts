/** Encodes the subset of DER (ITU-T X.690) that an X.509 certificate needs. */
export const der = {
  sequence: (...items: Uint8Array[]) => tagged(0x30, ...items),
  set: (...items: Uint8Array[]) => tagged(0x31, ...items),
  integer: (value: number) => tagged(0x02, Buffer.from(hex(value), 'hex')),
  boolean: (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0])),
  utf8: (text: string) => tagged(0x0c, Buffer.from(text)),
  octets: (content: Uint8Array) => tagged(0x04, content),
  bits: (content: Uint8Array) => tagged(0x03, Buffer.from([0]), content),
  /** `YYYYMMDDHHMMSSZ` */
  time: (ms: number) =>
    tagged(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`)),
  objectId,
  /** Content with any tag. */
  tagged,
}

function tagged(tag: number, ...items: Uint8Array[]): Buffer {
  const content = Buffer.concat(items)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes])
  const digits = Buffer.from(hex(bytes).replace(/^00/, ''), 'hex')
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits])
}

/** The hexadecimal digits of whole bytes, with a leading zero byte if the number would look negative. */
function hex(value: number): string {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return /^[89a-f]/.test(even) ? `00${even}` : even
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
