#include "memory/redact_rules.h"

#include "memory/redact.h"

/* Possessive quantifiers (++) wherever the next character can't be of the class: there is nothing
 * to go back for. */
#define ASSIGN "[\"'\\]]{0,2}+[ \\t]{0,8}+(?:=>|:=|={1,2}|:)[ \\t]{0,8}+"

#define RULE(name_, keywords_, ...)                                                                \
    {                                                                                              \
        .name = name_, .keywords = keywords_, .pattern = __VA_ARGS__                               \
    }

/* The particular before the general: of two that meet, the first one gives the name. */
const struct redact_rule redact_rules[] = {
    RULE("private-block", "<private>", "\\G<(?i)private>", .inside_word = true,
         .end = "</private>"),
    RULE("private-key", "-----begin", "\\G-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----",
         .inside_word = true, .end = "-----end"),
    RULE("aws-access-key", "akia asia abia acca absk",
         "\\G(?:(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/]{100,}+=*+)"),
    RULE("aws-secret-key",
         "secret_access_key secretaccesskey secret-access-key aws_secret aws-secret awssecret",
         "\\G(?i)[a-z_-]{6,32}" ASSIGN "[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
         .inside_word = true),
    RULE("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
         "\\G(?:gh[pousr]_[A-Za-z0-9]{36,255}+|github_pat_[A-Za-z0-9_]{22,255}+)"),
    RULE("gitlab-token",
         "glpat- gldt- glrt- glrtr- glft- glsoat- glimt- glagent- glcbt- gloas- glptt- glffct- "
         "glwt-",
         "\\Ggl[a-z]{2,5}-[A-Za-z0-9_.=-]{16,255}+", .check = CHECK_DIGIT),
    RULE("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-",
         "\\G(?:xox[a-z](?:\\.xox[bp])?-[A-Za-z0-9%-]{10,255}+|xapp-[0-9]-[A-Za-z0-9-]{10,255}+)",
         .check = CHECK_DIGIT),
    RULE("slack-webhook", "hooks.slack.com/",
         "\\G(?i)hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,255}+)"),
    RULE("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_",
         "\\G(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9]{10,255}+"),
    RULE("google-api-key", "aiza", "\\GAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9])"),
    RULE(
        "google-oauth", "gocspx- ya29. 1//0",
        "\\G(?:GOCSPX-[A-Za-z0-9_-]{20,64}+|ya29\\.[A-Za-z0-9_-]{20,1024}+|1//0[A-Za-z0-9_-]{40,})",
        .window = 2048),
    RULE("google-service-account", "private_key_id",
         "\\Gprivate_key_id" ASSIGN "[\"']?([0-9a-f]{40})"),
    RULE("anthropic-key", "sk-ant-", "\\Gsk-ant-[A-Za-z0-9_-]{20,255}+"),
    RULE("openai-key", "sk-", "\\Gsk-[A-Za-z0-9_-]{20,255}+", .check = CHECK_DIGIT),
    RULE("npm-token", "npm_ _authtoken",
         "\\G(?:npm_[A-Za-z0-9]{36}|_(?i)authToken[ \\t]{0,4}=[ \\t]{0,4}\"?([^\\s\"$]{8,255}+))",
         .inside_word = true),
    RULE("pypi-token", "pypi-ageichlwas", "\\Gpypi-AgEIcHlwaS[A-Za-z0-9_-]{30,1024}+",
         .window = 2048),
    RULE("docker-token", "dckr_pat_ dckr_oat_ \"auth\"",
         "\\G(?:dckr_[po]at_[A-Za-z0-9_-]{20,64}+|\"auth\"\\s{0,8}:\\s{0,8}\"([A-Za-z0-9+/"
         "]{16,512}+=*+)\")",
         .window = 1024),
    RULE("sendgrid-key", "sg.", "\\GSG\\.[A-Za-z0-9_-]{16,32}+\\.[A-Za-z0-9_-]{16,64}+"),
    RULE("twilio-key", "sk", "\\GSK[0-9a-f]{32}(?![A-Za-z0-9])"),
    RULE("telegram-token", ":aa", "\\G(?<=[0-9]{8}):(AA[A-Za-z0-9_-]{32,34})(?![A-Za-z0-9])",
         .inside_word = true),
    /* The first part is a number in base 64, hence its first two letters. */
    RULE("discord-token", "md mt mj mz nd nt nj nz od ot oj oz",
         "\\G[MNO][DTjz][A-Za-z0-9_-]{20,26}+\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}+"),
    RULE("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
         "\\G(?i)discord(?:app)?\\.com/api/webhooks/[0-9]{10,24}+/([A-Za-z0-9_-]{40,100}+)"),
    RULE("teams-webhook", ".webhook.office.com/",
         "\\G(?i)\\.webhook\\.office\\.com/([A-Za-z0-9@/_-]{60,512}+)", .inside_word = true,
         .window = 1024),
    RULE("azure-secret", "q~", "\\G[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}+",
         .inside_word = true, .back = 4),
    RULE("azure-storage-key", "accountkey= sharedaccesskey=",
         "\\G(?i)(?:account|sharedaccess)key=([A-Za-z0-9+/]{40,100}+={0,2}+)", .inside_word = true),
    RULE("mailchimp-key", "-us", "\\G[0-9a-f]{32}-us[0-9]{1,2}+(?![A-Za-z0-9])",
         .inside_word = true, .back = 32),
    RULE("mailgun-key", "key- pubkey-", "\\G(?:pub)?key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    RULE("terraform-token", ".atlasv1.",
         "\\G[A-Za-z0-9]{14}\\.(?i)atlasv1\\.[A-Za-z0-9_=-]{60,80}+", .inside_word = true,
         .back = 14),
    RULE("vault-token", "hvs. hvb. hvr.", "\\Ghv[sbr]\\.[A-Za-z0-9_-]{24,255}+"),
    RULE("shopify-token", "shpat_ shpca_ shppa_ shpss_", "\\Gshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    RULE("huggingface-token", "hf_ api_org_",
         "\\G(?:hf|api_org)_[A-Za-z]{34}(?![A-Za-z])|\\Ghf_[A-Za-z0-9]{30,60}+"),
    RULE("new-relic-key", "nrak- nrjs- nrii- nral-", "\\GNR(?:AK|JS|II|AL)-[A-Za-z0-9_-]{18,64}+"),
    RULE("newrelic-license", "nral", "\\G[0-9a-f]{36}NRAL(?![A-Za-z0-9])", .inside_word = true,
         .back = 36),
    RULE("square-token", "sq0atp- sq0csp- eaaa",
         "\\G(?:sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}+|EAAA[A-Za-z0-9_-]{56,64}+)"),
    RULE("facebook-token", "eaam eaac", "\\GEAA[MC][A-Za-z0-9]{100,255}+"),
    RULE("easypost-key", "ezak eztk", "\\GEZ[AT]K[A-Za-z0-9]{54,}+"),
    RULE("alibaba-key", "ltai", "\\GLTAI[A-Za-z0-9]{17,26}+", .check = CHECK_DIGIT),
    RULE("nuget-key", "oy2", "\\Goy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    RULE("yandex-key", "aqvn y0_ t1.9euelz",
         "\\G(?:AQVN[A-Za-z0-9_-]{35,38}+|y0_[A-Za-z0-9_-]{54,60}+|t1\\.9euelZ[A-Za-z0-9_-]{80,255}"
         "+)"),
    RULE("age-key", "age-secret-key-1", "\\GAGE-SECRET-KEY-1[A-Z0-9]{58}"),
    RULE("onepassword-key", "a3- ops_eyj",
         "\\G(?:A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-"
         "Z0-9]{5}|ops_eyJ[A-Za-z0-9+/=_-]{100,4096}+)",
         .window = 8192),
    RULE("openshift-token", "sha256~", "\\Gsha256~[A-Za-z0-9_-]{43}"),
    RULE("flutterwave-key", "flwseck flwpubk",
         "\\GFLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,40}+(?:-X)?"),
    RULE("notion-token", "ntn_ secret_",
         "\\G(?:ntn_[A-Za-z0-9]{40,60}+|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])",
         .check = CHECK_DIGIT),
    RULE("databricks-token", "dapi", "\\Gdapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    RULE("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
         "\\Gdp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,80}+"),
    RULE("dropbox-token", "sl.", "\\Gsl\\.[A-Za-z0-9_=-]{100,200}+", .check = CHECK_DIGIT),
    RULE("okta-token", "ssws", "\\GSSWS[ \\t]{1,4}+(00[A-Za-z0-9_-]{40})"),
    RULE("lob-key", "live_ test_",
         "\\G(?:live|test)_(?:pub_)?(?:[0-9a-f]{31,35}|[A-Za-z0-9-]{40})(?![A-Za-z0-9])",
         .check = CHECK_DIGIT),
    RULE(
        "service-token",
        "dop_v1_ doo_v1_ dor_v1_ atatt3 atctt3 atbb lin_api_ pmak- rubygems_ rdme_ sntrys_ sntryu_ "
        "duffel_live_ duffel_test_ dt0c01. fio-u- glc_ glsa_ hrku- xkeysib- sgp_ tfp_ pplx- "
        "pscale_tkn_ pscale_pw_ pscale_oauth_ clojars_ dnkey- gsk_ xai- r8_ tvly- fo1_ fm1_ fm2_ "
        "tk-us- sm_aat_ shippo_live_ shippo_test_ cfpat- figd_ nvapi- nfp_ sbp_ sb_secret_ phc_ "
        "phx_ "
        "lsv2_pt_ lsv2_sk_ tskey- ccipat_ squ_ sqp_ sqa_ key_live_ pypi-",
        "\\G[A-Za-z0-9]++[A-Za-z0-9_.=~|+/-]{18,1024}+", .check = CHECK_DIGIT, .window = 1100),
    /* Tokens whose prefix is half a word: only their exact shape counts. */
    RULE("other-token", "pul- ico- pnu_ akcp pat sat. v1.0- re_ fc-",
         "\\G(?:pul-[0-9a-f]{40}|ico-[A-Za-z0-9]{32}|pnu_[A-Za-z0-9]{36}|AKCp[A-Za-z0-9]{69}|"
         "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}|[ps]at\\.[A-Za-z0-9_-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]"
         "{20}|"
         "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|fc-[0-9a-f]{32})"
         "(?![A-Za-z0-9])"),
    RULE("jwt", "eyj",
         "\\GeyJ[A-Za-z0-9_-]{8,4096}+\\.eyJ[A-Za-z0-9_-]{8,8192}+(?:\\.[A-Za-z0-9_-]{0,2048}+)?",
         .window = 16384),
    RULE("authorization-header", "authorization bearer",
         "\\G(?i)(?:authorization" ASSIGN
         "[\"']?(?:bearer|basic|token|bot|apikey)[ \\t]{1,4}+([A-Za-z0-9+/=._~-]{8,4096}+)"
         "|bearer[ \\t]{1,4}+(?=[A-Za-z+/=._~-]{0,64}+[0-9])([A-Za-z0-9+/=._~-]{20,4096}+))",
         .check = CHECK_URL, .inside_word = true, .window = 5000),
    RULE("url-password", "://",
         "\\G(?<=[A-Za-z0-9+.-])://[^\\s:/?#\\[\\]@\"'<>`]{0,128}+:([^\\s/"
         "\"'<>`]{1,256})@[A-Za-z0-9._\\[-]",
         .check = CHECK_URL, .inside_word = true),
    RULE("command-line-password",
         "--password --passwd --token --secret --api-key --apikey --access-token --auth-token "
         "--client-secret",
         "\\G(?i)--[a-z-]{5,16}[ =][\"']?([^\\s\"'`$<({\\[-][^\\s\"'`]{7,255}+)",
         .check = CHECK_ASSIGNMENT),
    RULE(
        "password-assignment",
        "password passwd passphrase passcode pwd secret token api_key apikey api-key access_key "
        "accesskey access-key auth_key authkey private_key privatekey encryption_key signing_key "
        "account_key master_key credential",
        "\\G(?i:pass(?:word|wd|phrase|code)|pwd|secret|token|credential|(?:api|access|auth|private|"
        "encryption|signing|account|master)[_-]?key)(?i:s|[_-]?key)?(?![a-z])"
        "(?:[A-Z][A-Za-z0-9]{0,24}+|[_.-][A-Za-z0-9_.-]{0,40}+|[0-9]{0,4}+)" ASSIGN
        "(?|\"([^\"\\s]{8,256}+)\"|'([^'\\s]{8,256}+)'|`([^`\\s]{8,256}+)`"
        "|([^\\s\"'`,;<>(){}\\[\\]|&$][^\\s\"'`,;<>(){}\\[\\]|&]{7,255}+))",
        .check = CHECK_ASSIGNMENT, .inside_word = true),
    RULE("password-element", "<password> <passwd> <secret> <token> <apikey>",
         "\\G(?i)<[a-z]{5,8}>([^\\s<>]{8,256}+)</", .check = CHECK_ASSIGNMENT, .inside_word = true),
};

const size_t redact_rule_count = sizeof redact_rules / sizeof *redact_rules;
_Static_assert(sizeof redact_rules / sizeof *redact_rules <= MAX_REDACT_RULES, "raise the bound");

const char *redact_rule_name(size_t index)
{
    return index < redact_rule_count ? redact_rules[index].name : NULL;
}
