import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Logger } from '../logger.ts'

/**
 * The standard variables that the SDK leaves to its caller. The exporters read their own (`OTEL_EXPORTER_OTLP_…`). As
 * the specification requires, an invalid value is reported and ignored.
 */
export class Variables {
  readonly #environment = process.env
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Reports a protocol or an exporter that is not supported. */
  check(signal: 'TRACES' | 'METRICS'): void {
    const names = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL']
    const name = names.find((each) => this.#environment[each]) ?? ''
    this.#oneOf(name, ['http/json', 'http/protobuf'])
    this.#oneOf(`OTEL_${signal}_EXPORTER`, ['otlp'])
  }

  /** A positive number of milliseconds or spans. */
  positive(name: string): number | undefined {
    return this.#number(name, (value) => Number.isInteger(value) && value > 0)
  }

  sampler(): Sampler {
    const name = 'OTEL_TRACES_SAMPLER'
    const chosen = this.#oneOf(name, Object.keys(SAMPLERS)) ?? 'parentbased_always_on'
    return SAMPLERS[chosen as keyof typeof SAMPLERS](
      () => this.#number('OTEL_TRACES_SAMPLER_ARG', (value) => value >= 0 && value <= 1) ?? 1,
    )
  }

  #oneOf(name: string, values: readonly string[]): string | undefined {
    const value = this.#environment[name]
    if (!value || values.includes(value)) return value || undefined
    return this.#ignore(name, value)
  }

  #number(name: string, isValid: (value: number) => boolean): number | undefined {
    const text = this.#environment[name]
    if (!text) return undefined
    const value = Number(text)
    return isValid(value) ? value : this.#ignore(name, text)
  }

  #ignore(variable: string, value: string): undefined {
    this.#logger.warn({ variable, value }, 'telemetry.variable_ignored')
  }
}

type ReadRatio = () => number

const SAMPLERS = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio: ReadRatio) => new TraceIdRatioBasedSampler(ratio()),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio: ReadRatio) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio()) }),
}
