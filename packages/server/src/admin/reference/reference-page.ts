import type { FastifyPluginAsync } from 'fastify'
import { escapeHtml as e } from '../../util/escape-html.ts'
import type { RouteRoles } from '../access/roles.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

type Content = Readonly<Record<string, Media>>

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string }>>
  readonly content?: Content
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

/** An OpenAPI document, with the fields that the page shows. */
export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** An operation with its method and its path. */
interface ListedOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** A JSON Schema, with the keywords that the reference shows. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** The reference page, rendered from the OpenAPI document at `documentPath` on the first request. */
export function referenceRoute(
  path: string,
  documentPath: string,
  roles: RouteRoles,
): FastifyPluginAsync {
  return async (server) => {
    let page: Promise<Buffer> | undefined
    const render = async (): Promise<Buffer> => {
      const response = await server.inject(documentPath)
      return Buffer.from(referencePage(response.json<OpenapiDocument>(), documentPath, roles))
    }
    server.get(path, async (_request, reply) =>
      reply.headers(HEADERS).send(await (page ??= render())),
    )
  }
}

const LEAD = `Unless stated otherwise, every request requires <code>Authorization: Bearer &lt;token&gt;</code>,
with the admin token or a token created with <code>POST /tokens</code>. Every error response is a
<a href="#Problem">Problem</a>.`

/** An OpenAPI document as one HTML page without scripts or other files. */
export function referencePage(document: OpenapiDocument, path: string, roles: RouteRoles): string {
  const { title, description } = document.info
  const tags = [...operationsByTag(document)]
  const sections = tags.map(
    ([tag, listed]) =>
      `<section><h2>${e(tag)}</h2>${listed.map((each) => operationHtml(each, roles)).join('\n')}</section>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${e(title)}</title><style>${STYLE}</style></head>
<body><nav aria-label="Operations"><h1>${e(title)}</h1>${tags.map(([tag, listed]) => navSection(tag, listed)).join('')}
<p><a href="#schemas">Schemas</a></p><p><a href="${e(path)}">${e(path)}</a></p><p><a href="/docs">Documentation</a></p></nav>
<main><h2>${e(title)}</h2><p class="lead">${e(description)} ${LEAD}</p>${sections.join('\n')}
<section id="schemas"><h2>Schemas</h2>${Object.entries(document.components.schemas).map(schemaArticle).join('\n')}</section></main></body></html>
`
}

/** The operations of a document by tag, in document order. */
function operationsByTag({ paths }: OpenapiDocument): Map<string, ListedOperation[]> {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  return Map.groupBy(all, ({ operation }) => operation.tags[0] ?? 'Other')
}

function navSection(tag: string, listed: readonly ListedOperation[]): string {
  const links = listed.map(
    ({ method, operation: { operationId, summary } }) =>
      `<li><a href="#${e(operationId)}"><b class="${e(method)}">${e(method)}</b> ${e(summary)}</a></li>`,
  )
  return `<h2>${e(tag)}</h2><ul>${links.join('')}</ul>`
}

function schemaArticle([name, schema]: [string, JsonSchema]): string {
  return `<article id="${e(name)}"><h3>${e(name)}</h3>${schemaHtml(schema)}</article>`
}

function operationHtml(listed: ListedOperation, roles: RouteRoles): string {
  const { method, path, operation } = listed
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const bodies = Object.values(requestBody?.content ?? {})
  return `<article id="${e(operationId)}">
<h3><b class="${e(method)}">${e(method)}</b> <code>${e(path)}</code></h3>
<p>${e(summary)}. ${accessHtml(listed, roles)}</p>${description === undefined ? '' : `<p>${e(description)}</p>`}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><dl>${parameters.map(parameterHtml).join('')}</dl>`}
${bodies.map((each) => `<h4>Body</h4>${schemaHtml(each.schema)}${examplesHtml(each)}`).join('')}
<h4>Responses</h4><dl>${Object.entries(operation.responses).map(responseHtml).join('')}</dl></article>`
}

function accessHtml({ method, path, operation }: ListedOperation, roles: RouteRoles): string {
  if (operation.security?.length === 0) return '<em>Requires no token.</em>'
  const route = path.replace(/^\/api\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1')
  return `<em>Requires the ${e(roles.of(`${method.toUpperCase()} ${route}`))} role.</em>`
}

function parameterHtml({ name, in: place, required, description, schema }: Parameter): string {
  const about = [place, ...(required ? ['required'] : [])].join(', ')
  const text = description === undefined ? '' : `<p>${e(description)}</p>`
  return `<dt><code>${e(name)}</code> <small>${e(about)}</small></dt><dd>${text}${schemaHtml(schema)}</dd>`
}

function responseHtml([status, { description, headers = {}, content = {} }]: [
  string,
  Response,
]): string {
  const fields = Object.entries(headers).map(
    ([name, header]) => `<p><small>Header ${e(name)}</small> ${e(header.description)}</p>`,
  )
  const schemas = Object.entries(content).map(
    ([type, each]) =>
      `<p><small>${e(type)}</small></p>${schemaHtml(each.schema)}${examplesHtml(each)}`,
  )
  return `<dt><code>${e(status)}</code></dt><dd><p>${e(description)}</p>${[...fields, ...schemas].join('')}</dd>`
}

function examplesHtml({ example, examples }: Media): string {
  const all = examples ? Object.values(examples).map(({ value }) => value) : [example]
  return all
    .filter((value) => value !== undefined)
    .map((value) => `<details><summary>Example</summary><pre>${exampleText(value)}</pre></details>`)
    .join('')
}

function exampleText(value: unknown): string {
  return e(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}

/** The type, limits, description and fields of a schema. */
function schemaHtml(schema: JsonSchema): string {
  const about = schema.description === undefined ? '' : ` ${e(schema.description)}`
  return `<div class="schema">${typeHtml(schema)}${about}${fieldsHtml(schema)}</div>`
}

function fieldsHtml(schema: JsonSchema): string {
  const { properties, required = [], anyOf = [], oneOf = anyOf } = schema.items ?? schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '<i>?</i>'
    return `<li><code>${e(name)}${mark}</code> ${schemaHtml(field)}</li>`
  })
  const options = oneOf.map((option) => `<li>${optionHtml(option)}</li>`)
  const all = [...fields, ...options]
  return all.length === 0 ? '' : `<ul>${all.join('')}</ul>`
}

/** An option that only requires a field has no type. */
function optionHtml(option: JsonSchema): string {
  if (option.required === undefined || option.properties !== undefined) return schemaHtml(option)
  return `with ${option.required.map((name) => `<code>${e(name)}</code>`).join(', ')}`
}

function typeHtml(schema: JsonSchema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#${e(name)}">${e(name)}</a>`
  if (schema.items !== undefined) return `array of ${typeHtml(schema.items)}`
  const isChoice = (schema.anyOf ?? schema.oneOf) !== undefined
  if (isChoice && schema.properties === undefined) return '<small>one of</small>'
  return `<small>${e([...typeOf(schema), ...limitsOf(schema)].join(', '))}</small>`
}

function typeOf({ type, enum: values }: JsonSchema): string[] {
  if (type === undefined) return values === undefined ? ['any'] : []
  return [[type].flat().join(' or ')]
}

function limitsOf(schema: JsonSchema): string[] {
  const { format, minimum, maximum, default: fallback } = schema
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return [
    ...(format === undefined ? [] : [format]),
    ...(values === undefined ? [] : [values.map((value) => JSON.stringify(value)).join(' | ')]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...rangeOf(schema.minLength, schema.maxLength, 'characters'),
    ...rangeOf(schema.minItems, schema.maxItems, 'entries'),
    ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} if absent`]),
  ]
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min === undefined && max === undefined) return []
  if (max === undefined) return [min === 1 ? 'not empty' : `at least ${min} ${unit}`]
  return [min === undefined ? `at most ${max} ${unit}` : `${min} to ${max} ${unit}`]
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3e6ea, #30363d); --dim: light-dark(#5b6570, #9aa4af);
  --panel: light-dark(#f6f8fa, #161b22); --back: light-dark(#fff, #0d1117); --text: light-dark(#1f2328, #e6edf3) }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); font: 15px/1.55 system-ui, sans-serif;
  background: var(--back); color: var(--text) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line);
  background: var(--panel) }
nav h1 { font-size: 1.05rem; margin: 0 0 1rem } nav h2 { font-size: .8rem; margin: 1.2rem 0 .3rem; color: var(--dim) }
nav ul { list-style: none; margin: 0; padding: 0 } nav li { margin: .15rem 0; font-size: .85rem }
nav li a { display: grid; grid-template-columns: 3.2rem 1fr; align-items: baseline }
a { color: light-dark(#0550ae, #79c0ff); text-decoration: none } a:hover { text-decoration: underline }
main { padding: 2rem clamp(1rem, 4vw, 4rem); max-width: 62rem; overflow-wrap: anywhere }
h2 { margin-top: 2.5rem } h3 { margin: 0 0 .4rem; font-size: 1rem } h4 { margin: 1rem 0 .3rem; color: var(--dim) }
article { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0;
  scroll-margin-top: 1rem } article:target { border-color: light-dark(#0969da, #1f6feb) }
p { margin: .3rem 0 } .lead { font-size: 1.05rem } small, em { color: var(--dim) }
code { font: .9em ui-monospace, monospace } dl { margin: 0 } dd { margin: 0 0 .6rem 1rem }
.schema { display: inline } .schema ul { margin: .2rem 0 .4rem; padding-left: 1rem; list-style: none;
  border-left: 2px solid var(--line) } .schema li { margin: .2rem 0 } i { color: var(--dim); font-style: normal }
b { display: inline-block; min-width: 4.2em; font: 700 .7rem ui-monospace, monospace; text-transform: uppercase }
.get { color: light-dark(#1a7f37, #3fb950) } .post { color: light-dark(#0550ae, #58a6ff) }
.patch, .put { color: light-dark(#9a6700, #d29922) } .delete { color: light-dark(#cf222e, #f85149) }
main > h2:first-child { margin-top: 0 }
details { margin: .3rem 0 } summary { cursor: pointer; font-size: .85rem; color: var(--dim) }
pre { margin: .3rem 0; padding: .7rem; overflow: auto; border-radius: 6px; background: var(--panel);
  font: .82rem/1.45 ui-monospace, monospace } a:focus-visible, summary:focus-visible { outline: 2px solid currentColor }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto; border: 0 } }
`.trim()
