import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logo } from '../brand/brand.mts';
import type { Site } from '../brand/site.mts';

/** Pages name what they need with its version. */
const YEAR = 'max-age=31536000, immutable';
/** A picture never runs, also when somebody opens it by itself. */
const LOGO_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/** What pages load: the style sheet and the logos. It is the same for everybody. */
export function registerAssets(app: FastifyInstance, site: Site): void {
	app.get('/style.css', async (_request, reply) => {
		void reply.header('Cache-Control', YEAR).type('text/css; charset=utf-8');
		return site.style;
	});
	// Browsers ask for it, and report what is missing as an error.
	app.get('/favicon.ico', async (_request, reply) => await reply.code(204).send());
	if (site.logo) app.get('/logo', async (_request, reply) => sendLogo(reply, site.logo!));
	if (site.darkLogo) {
		app.get('/logo-dark', async (_request, reply) => sendLogo(reply, site.darkLogo!));
	}
}

function sendLogo(reply: FastifyReply, { type, content }: Logo): Buffer {
	void reply.headers({ 'Cache-Control': YEAR, 'Content-Security-Policy': LOGO_POLICY });
	void reply.type(type);
	return content;
}
