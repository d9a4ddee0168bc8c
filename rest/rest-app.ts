export type { FastifyInstance as RestApp } from 'fastify'
