#include "parsers/worktree_rules.h"

#include "parsers/patterns.h"

const char *const name_kind_text[] = {
    [NAME_PLAIN] = "",
    [NAME_SECRET] = "secret",
    [NAME_VENDORED] = "vendored",
    [NAME_GENERATED] = "generated",
    [NAME_BINARY] = "binary",
};

enum where { ANYWHERE, AT_ROOT, WITHOUT_GIT };

/* `names` holds globs, a blank between two; the first row that fits counts. */
struct name_row {
    const char *names;
    enum name_kind kind;
    enum where where;
    const char *beside; /* one of these globs must stand beside it; NULL: none need */
};

/* Never read, whatever they are called for: better a sample that is missed than a key that is not.
 * Lower case here. */
static const struct name_row secret_files[] = {
    {".env .env.* .envrc *.env", NAME_SECRET, ANYWHERE, NULL},
    {"*.pem *.key *.p12 *.pfx *.p8 *.ppk *.jks *.keystore *.kdbx *.kdb *.ovpn *.agekey",
     NAME_SECRET, ANYWHERE, NULL},
    {".npmrc .yarnrc .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg "
     ".dockerconfigjson .s3cfg .boto .vault-token .vault_pass .vault_pass.txt kubeconfig "
     "*.kubeconfig .terraformrc .credentials .bash_history .zsh_history .psql_history "
     ".mysql_history .python_history .node_repl_history",
     NAME_SECRET, ANYWHERE, NULL},
    {"credentials credentials.json credentials.yml credentials.yaml credentials.ini "
     "credentials.toml credentials.xml credentials.csv credentials.txt credentials.properties "
     "credentials.*.enc *.credentials",
     NAME_SECRET, ANYWHERE, NULL},
    {"secrets secrets.json secrets.yml secrets.yaml secrets.ini secrets.toml secrets.xml "
     "secrets.txt secrets.properties secrets.env secret.json secret.yml secret.yaml",
     NAME_SECRET, ANYWHERE, NULL},
    {"service-account*.json service_account*.json client_secret*.json *.tfstate *.tfstate.backup "
     "*.auto.tfvars terraform.tfvars",
     NAME_SECRET, ANYWHERE, NULL},
};

static const struct name_row secret_folders[] = {
    {".ssh .gnupg .aws .kube .docker .gcloud .azure", NAME_SECRET, ANYWHERE, NULL},
};

/* Code of others that was copied in. After github-linguist's list in spirit; left out of it is what
 * often names a project's own code: extern, external, dependencies, dist, fixtures. */
static const struct name_row folders[] = {
    {"node_modules bower_components jspm_packages web_modules", NAME_VENDORED, ANYWHERE, NULL},
    {"vendor vendors", NAME_VENDORED, ANYWHERE, NULL}, /* Go, PHP, Ruby, Rust */
    {"third_party third-party thirdparty third_parties 3rdparty 3rd_party 3rd-party", NAME_VENDORED,
     ANYWHERE, NULL},
    {"deps", NAME_VENDORED, AT_ROOT, NULL}, /* C projects, Elixir */
    {"Godeps Pods Carthage .yarn .pnpm-store .bundle site-packages _esy", NAME_VENDORED, ANYWHERE,
     NULL},
    {"__pycache__ .tox .nox .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .eggs "
     "*.egg-info .ipynb_checkpoints __snapshots__",
     NAME_GENERATED, ANYWHERE, NULL},
    {".gradle .next .nuxt .svelte-kit .parcel-cache .turbo .terraform .dart_tool .nyc_output "
     ".cache .ccls-cache .clangd .zig-cache .stack-work .vs .direnv",
     NAME_GENERATED, ANYWHERE, NULL},
    {"target", NAME_GENERATED, WITHOUT_GIT, "Cargo.toml pom.xml build.sbt"},
    {"build dist out coverage htmlcov", NAME_GENERATED, WITHOUT_GIT, NULL},
    {"bin obj", NAME_GENERATED, WITHOUT_GIT, "*.csproj *.fsproj *.vbproj"},
    {"_build", NAME_GENERATED, WITHOUT_GIT, "mix.exs dune-project Makefile conf.py"},
    {"venv env", NAME_GENERATED, WITHOUT_GIT, NULL},
};

static const struct name_row files[] = {
    /* what package managers resolved */
    {"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock "
     "Cargo.lock Gemfile.lock composer.lock poetry.lock Pipfile.lock uv.lock pdm.lock go.sum "
     "go.work.sum mix.lock rebar.lock flake.lock Podfile.lock Cartfile.resolved Package.resolved "
     "pubspec.lock packages.lock.json paket.lock gradle.lockfile .terraform.lock.hcl "
     "MODULE.bazel.lock conda-lock.yml stack.yaml.lock Manifest.toml renv.lock",
     NAME_GENERATED, ANYWHERE, NULL},
    /* minified, bundled, and what maps them back */
    {"*.min.js *-min.js *.min.mjs *.min.css *-min.css *.bundle.js *.chunk.js *.js.map *.mjs.map "
     "*.cjs.map *.css.map *.ts.map *.tsbuildinfo",
     NAME_GENERATED, ANYWHERE, NULL},
    /* from an interface description */
    {"*.pb.go *.pb.gw.go *_pb2.py *_pb2_grpc.py *_pb2.pyi *.pb.h *.pb.cc *.pb.c *-pb.h *_pb.js "
     "*_pb.d.ts *_pb.ts *_grpc_pb.js *_pb.rb *.pb.swift *.grpc.swift *.pbobjc.h *.pbobjc.m "
     "*.pb.dart *.pbgrpc.dart *.pbenum.dart *.pbjson.dart *.twirp.go *.connect.go "
     "*_thrift.go *.capnp.c++ *.capnp.h *_generated.h",
     NAME_GENERATED, ANYWHERE, NULL},
    /* by other generators that say so in the name */
    {"*.generated.* *_generated.go *.gen.go *_gen.go zz_generated.* *.g.dart *.freezed.dart "
     "*.g.cs *.g.i.cs *.designer.cs *.Designer.cs *.Designer.vb bindata.go *.bindata.go "
     "*.tab.c *.tab.h *.tab.cpp *.tab.hpp lex.yy.c *.snap *.pbxproj *.xcworkspacedata *.nib",
     NAME_GENERATED, ANYWHERE, NULL},
    {"configure", NAME_GENERATED, ANYWHERE, "configure.ac configure.in"},
    {"aclocal.m4 libtool.m4 ltoptions.m4 ltsugar.m4 ltversion.m4 lt~obsolete.m4", NAME_GENERATED,
     ANYWHERE, NULL},
    {"Makefile.in", NAME_GENERATED, ANYWHERE, "Makefile.am"},
    /* scripts and libraries that everybody copies */
    {"config.guess config.sub ltmain.sh install-sh depcomp ylwrap compile missing mkinstalldirs "
     "texinfo.tex",
     NAME_VENDORED, ANYWHERE, "configure.ac configure.in config.guess"},
    {"gradlew gradlew.bat mvnw mvnw.cmd erlang.mk cpplint.py waf", NAME_VENDORED, ANYWHERE, NULL},
    {"jquery.js jquery-[0-9]*.js jquery-ui.js jquery.[a-z]*.js bootstrap.js bootstrap.css "
     "bootstrap-[a-z]*.js modernizr.js modernizr-[0-9]*.js normalize.css font-awesome.css "
     "require.js underscore.js backbone.js angular.js ember.js knockout-[0-9]*.js "
     "prototype.js mootools*.js raphael.js d3.js d3.v[0-9].js",
     NAME_VENDORED, ANYWHERE, NULL},
    {".pnp.js .pnp.cjs .pnp.loader.mjs", NAME_VENDORED, ANYWHERE, NULL},
};

/* Lower case here. */
static const struct name_row binary_files[] = {
    {"*.png *.jpg *.jpeg *.gif *.bmp *.ico *.icns *.webp *.avif *.heic *.tif *.tiff *.psd *.ai "
     "*.eps *.xcf *.sketch *.fig *.dds *.tga *.hdr *.exr *.pnm *.ppm *.pgm",
     NAME_BINARY, ANYWHERE, NULL},
    {"*.mp3 *.mp4 *.m4a *.m4v *.wav *.flac *.ogg *.oga *.ogv *.opus *.aac *.avi *.mov *.mkv *.webm "
     "*.wmv *.mid *.midi *.swf",
     NAME_BINARY, ANYWHERE, NULL},
    {"*.woff *.woff2 *.ttf *.otf *.eot *.pfb *.pcf", NAME_BINARY, ANYWHERE, NULL},
    {"*.zip *.gz *.tgz *.bz2 *.tbz2 *.xz *.txz *.zst *.lz4 *.lzma *.7z *.rar *.tar *.cab *.iso "
     "*.dmg *.deb *.rpm *.apk *.ipa *.msi *.whl *.egg *.gem *.nupkg *.crate *.snupkg *.vsix *.xpi",
     NAME_BINARY, ANYWHERE, NULL},
    {"*.jar *.war *.ear *.class *.dex *.pyc *.pyo *.pyd *.so *.so.[0-9]* *.dylib *.dll *.exe *.o "
     "*.obj *.a *.lib *.lo *.la *.ko *.elf *.wasm *.beam *.hi *.rlib *.rmeta *.pdb *.ilk *.pch "
     "*.gch *.node *.com *.sys *.bin *.rom *.img *.dat *.pak *.pack *.idx *.mo *.gmo",
     NAME_BINARY, ANYWHERE, NULL},
    {"*.pdf *.doc *.docx *.xls *.xlsx *.ppt *.pptx *.odt *.ods *.odp *.epub *.mobi", NAME_BINARY,
     ANYWHERE, NULL},
    {"*.db *.db3 *.sqlite *.sqlite3 *.sqlite-* *.mdb *.rdb *.frm *.ibd *.parquet *.avro *.orc "
     "*.feather *.arrow *.h5 *.hdf5 *.npy *.npz *.pkl *.pickle *.pt *.pth *.onnx *.tflite "
     "*.safetensors *.gguf *.model *.mat *.rds *.rdata",
     NAME_BINARY, ANYWHERE, NULL},
    {"*.gpg *.pgp *.sig *.der *.cer *.crt *.csr *.crl *.p7b *.p7s", NAME_BINARY, ANYWHERE, NULL},
    {"*.blend *.fbx *.stl *.3ds *.glb *.unitypackage *.uasset *.umap *.pcap *.pcapng *.core",
     NAME_BINARY, ANYWHERE, NULL},
    {".ds_store thumbs.db desktop.ini", NAME_BINARY, ANYWHERE, NULL},
};

/* ---- the tables, ready to be asked ---- */

/* Globs that end in the same plain character stand together, in the order of their rows; those that
 * end in none are the bucket 0. So a name is held against the few that can fit it. */
enum { BUCKETS = 256 };

struct rule {
    str glob;
    const struct name_row *row;
};

struct table {
    struct rule *rules;
    size_t first[BUCKETS + 1]; /* of a bucket; the next one's first is its end */
};

struct name_rules {
    struct table secret_files, secret_folders, files, folders, binary_files;
};

static unsigned char bucket_of(str glob)
{
    char last = glob.at[glob.len - 1];
    return last == '*' || last == ']' || last == '?' ? 0 : (unsigned char)last;
}

static void build_table(struct arena *a, const struct name_row *rows, size_t count,
                        struct table *out)
{
    str rest, glob;
    size_t ends[BUCKETS] = {0}, total = 0;
    for (size_t i = 0; i < count; i++)
        for (rest = str_of(rows[i].names); str_next_word(&rest, &glob); total++)
            ends[bucket_of(glob)]++;
    for (size_t i = 0; i < BUCKETS; i++) {
        out->first[i + 1] = out->first[i] + ends[i];
        ends[i] = out->first[i];
    }
    out->rules = ARENA_ARRAY(a, struct rule, total);
    for (size_t i = 0; i < count; i++)
        for (rest = str_of(rows[i].names); str_next_word(&rest, &glob);)
            out->rules[ends[bucket_of(glob)]++] = (struct rule){glob, &rows[i]};
}

#define BUILD(a, rows, out) build_table(a, rows, sizeof(rows) / sizeof *(rows), out)

const struct name_rules *name_rules_build(struct arena *a)
{
    struct name_rules *r = ARENA_NEW(a, struct name_rules);
    BUILD(a, secret_files, &r->secret_files);
    BUILD(a, secret_folders, &r->secret_folders);
    BUILD(a, files, &r->files);
    BUILD(a, folders, &r->folders);
    BUILD(a, binary_files, &r->binary_files);
    return r;
}

static bool place_fits(const struct name_row *row, const struct name_place *place)
{
    if ((row->where == AT_ROOT && !place->at_root) || (row->where == WITHOUT_GIT && place->in_git))
        return false;
    str rest = str_of(row->beside), glob;
    if (!rest.len)
        return true;
    while (str_next_word(&rest, &glob))
        if (place->has(place->ctx, glob))
            return true;
    return false;
}

static bool rule_fits(const struct rule *rule, str name)
{
    char first = rule->glob.at[0];
    return (first == '*' || first == name.at[0]) && glob_match(rule->glob, name);
}

/* The first row of a bucket that fits, unless `best` comes earlier. */
static const struct name_row *ask_bucket(const struct table *t, unsigned char bucket, str name,
                                         const struct name_place *place,
                                         const struct name_row *best)
{
    for (size_t i = t->first[bucket]; i < t->first[bucket + 1]; i++) {
        const struct rule *rule = &t->rules[i];
        if (best && rule->row >= best)
            break;
        if (rule_fits(rule, name) && place_fits(rule->row, place))
            return rule->row;
    }
    return best;
}

static enum name_kind ask(const struct table *t, str name, const struct name_place *place)
{
    if (!name.len)
        return NAME_PLAIN;
    const struct name_row *row = ask_bucket(t, 0, name, place, NULL);
    row = ask_bucket(t, (unsigned char)name.at[name.len - 1], name, place, row);
    return row ? row->kind : NAME_PLAIN;
}

enum { MAX_NAME_BYTES = 255 };

/* The name in lower case in `out`; a longer one than any system has stays as it is. */
static str lower_case(str name, char out[MAX_NAME_BYTES])
{
    if (name.len > MAX_NAME_BYTES)
        return name;
    for (size_t i = 0; i < name.len; i++)
        out[i] = name.at[i] >= 'A' && name.at[i] <= 'Z' ? (char)(name.at[i] | 0x20) : name.at[i];
    return str_from(out, name.len);
}

/* id_rsa and id_ed25519.pub are keys; id_map.c is not. */
static bool is_key(str lower)
{
    str base = str_ends(lower, S(".pub")) ? str_cut(lower, 0, lower.len - 4) : lower;
    return str_starts(base, S("id_")) && str_find_char(base, '.', 0) == base.len;
}

enum name_kind name_kind_of_file(const struct name_rules *r, str name,
                                 const struct name_place *place)
{
    char bytes[MAX_NAME_BYTES];
    str lower = lower_case(name, bytes);
    enum name_kind kind = is_key(lower) ? NAME_SECRET : ask(&r->secret_files, lower, place);
    if (kind == NAME_PLAIN)
        kind = ask(&r->files, name, place);
    return kind != NAME_PLAIN ? kind : ask(&r->binary_files, lower, place);
}

enum name_kind name_kind_of_folder(const struct name_rules *r, str name,
                                   const struct name_place *place)
{
    char bytes[MAX_NAME_BYTES];
    enum name_kind kind = ask(&r->secret_folders, lower_case(name, bytes), place);
    return kind != NAME_PLAIN ? kind : ask(&r->folders, name, place);
}

static bool is_one_of(str name, const char *names)
{
    str rest = str_of(names), word;
    while (str_next_word(&rest, &word))
        if (str_eq(word, name))
            return true;
    return false;
}

bool name_is_internal(str name)
{
    return is_one_of(name, ".git .hg .svn .bzr .jj .pijul _darcs CVS");
}

bool name_marks_generated(str name)
{
    return is_one_of(name, "CACHEDIR.TAG pyvenv.cfg CMakeCache.txt");
}
