import { REFERENCE_STYLE } from './reference-style.ts'
import { roleFor } from '../access/route-roles.ts'
import { escapeHtml as e, type JsonSchema, schemaHtml } from './schema-html.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

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

interface Listed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The reference of the API as one HTML page without scripts or other files. */
export function referencePage(document: OpenapiDocument): string {
  const { info, paths, components } = document
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Listed => ({ method, path, operation })),
  )
  const byTag = Map.groupBy(all, ({ operation }) => operation.tags[0] ?? 'Other')
  const nav = [...byTag].map(([tag, listed]) => navSection(tag, listed))
  const main = [...byTag].map(([tag, listed]) => section(tag, listed))
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article id="${e(name)}"><h3>${e(name)}</h3>${schemaHtml(schema)}</article>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${e(info.title)}</title><style>${REFERENCE_STYLE}</style></head>
<body><nav><h1>${e(info.title)}</h1>${nav.join('')}<p><a href="#schemas">Schemas</a></p>
<p><a href="v1/openapi.json">openapi.json</a></p></nav>
<main><p class="lead">${e(info.description)} Every request except for
the OpenAPI document needs <code>Authorization: Bearer &lt;token&gt;</code>, with the admin token or a token
created with <code>POST /tokens</code>. Every error response is a <a href="#Problem">Problem</a>.</p>
${main.join('\n')}
<section id="schemas"><h2>Schemas</h2>${schemas.join('\n')}</section></main></body></html>
`
}

function navSection(tag: string, listed: readonly Listed[]): string {
  const links = listed.map(
    ({ method, operation: { operationId, summary } }) =>
      `<li><a href="#${e(operationId)}"><b class="${e(method)}">${e(method)}</b> ${e(summary)}</a></li>`,
  )
  return `<h2>${e(tag)}</h2><ul>${links.join('')}</ul>`
}

function section(tag: string, listed: readonly Listed[]): string {
  return `<section><h2>${e(tag)}</h2>${listed.map(article).join('\n')}</section>`
}

function article({ method, path, operation }: Listed): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const bodies = Object.values(requestBody?.content ?? {})
  return `<article id="${e(operationId)}">
<h3><b class="${e(method)}">${e(method)}</b> <code>${e(path)}</code></h3>
<p>${e(summary)}. ${roleHtml({ method, path, operation })}</p>${description === undefined ? '' : `<p>${e(description)}</p>`}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><dl>${parameters.map(parameterHtml).join('')}</dl>`}
${bodies.map(({ schema }) => `<h4>Body</h4>${schemaHtml(schema)}`).join('')}
<h4>Responses</h4><dl>${Object.entries(operation.responses).map(responseHtml).join('')}</dl></article>`
}

function roleHtml({ method, path, operation }: Listed): string {
  if (operation.security?.length === 0) return '<em>Needs no token.</em>'
  const route = path.replace(/^\/api\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1')
  return `<em>Needs the role ${e(roleFor(method.toUpperCase(), route))}.</em>`
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
    ([type, { schema }]) => `<p><small>${e(type)}</small></p>${schemaHtml(schema)}`,
  )
  return `<dt><code>${e(status)}</code></dt><dd><p>${e(description)}</p>${[...fields, ...schemas].join('')}</dd>`
}
