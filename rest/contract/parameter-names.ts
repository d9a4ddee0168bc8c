/** Converts a parameter name of the services to the name in a route. */
export type SpellParameter = (parameter: string) => string

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names of parameters in error texts of this route. Default: camelCase, as in the services. */
    spellParameter?: SpellParameter
  }
}

export const snakeCase: SpellParameter = (parameter) =>
  parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
